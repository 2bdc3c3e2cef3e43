/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import java.util.Locale;

/**
 * The kind of an object, which determines its location. The digest of an object is that of its
 * bytes.
 */
public enum ObjectKind {
  /** An output or a log. */
  BLOB,
  /** Chunks of snapshots. */
  PACK;

  /** The kind's name in the database and in messages. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
