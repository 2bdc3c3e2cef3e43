/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/** The owner of a file; ids from 0 to 2^32 - 2. */
public record FileOwner(long uid, long gid) {
  static final long MAX = (1L << 32) - 2;

  public FileOwner {
    if (uid < 0 || uid > MAX || gid < 0 || gid > MAX) {
      throw new IllegalArgumentException(
          "ids must be 0 to %d, not uid %d, gid %d".formatted(MAX, uid, gid));
    }
  }
}
