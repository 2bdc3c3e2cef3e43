/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

/** Where a pack is in its life; see V2__snapshots.sql for what leads from one to the other. */
public enum PackState {
  UPLOADING(0),
  LIVE(1),
  DOOMED(2);

  private final int code;

  PackState(int code) {
    this.code = code;
  }

  /** As it is stored. */
  public int code() {
    return code;
  }
}
