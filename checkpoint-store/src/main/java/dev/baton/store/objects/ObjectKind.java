/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import java.util.Locale;

/** What an object is, which says where it lies. Its digest is that of its bytes. */
public enum ObjectKind {
  /** An output or a log. */
  BLOB,
  /** Chunks of snapshots. */
  PACK;

  /** As it is stored and shown. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
