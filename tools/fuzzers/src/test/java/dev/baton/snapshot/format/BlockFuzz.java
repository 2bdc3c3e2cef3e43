/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;

/**
 * Jazzer target: any input is decoded as a block or rejected; nothing is written outside its
 * buffer.
 */
public final class BlockFuzz {
  private static final int ROOM = 1 << 16;
  private static final byte MARK = 0x5a;
  private static final BlockReader READER = new BlockReader();
  private static final byte[] INTO = new byte[ROOM + 1024];

  private BlockFuzz() {}

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < 2) {
      return;
    }
    int rawLength = (data[0] & 0xff) << 8 | data[1] & 0xff;
    for (int i = rawLength; i < rawLength + 1024; i++) {
      INTO[i] = MARK;
    }
    try {
      READER.read(data, 2, data.length - 2, INTO, rawLength);
    } catch (SnapshotException refused) {
      // expected for invalid input
    }
    for (int i = rawLength; i < rawLength + 1024; i++) {
      if (INTO[i] != MARK) {
        throw new AssertionError("written at %d of %d".formatted(i, rawLength));
      }
    }
  }
}
