/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import java.util.Arrays;
import java.util.List;

/** Jazzer target: any input is decoded as a chunk list of a file of some size, or rejected. */
public final class ExtentListFuzz {
  private ExtentListFuzz() {}

  public static void fuzzerTestOneInput(byte[] data) {
    try {
      int sizeBytes = Math.min(8, data.length);
      long size = 0;
      for (int i = 0; i < sizeBytes; i++) {
        size = size << 8 | data[i] & 0xff;
      }
      List<Extent> extents =
          ExtentListCodec.decode(data, sizeBytes, data.length - sizeBytes, size & Long.MAX_VALUE);
      byte[] list = Arrays.copyOfRange(data, sizeBytes, data.length);
      if (!Arrays.equals(list, ExtentListCodec.encode(extents))) {
        throw new AssertionError("a second encoding of " + extents);
      }
    } catch (SnapshotException refused) {
      // expected for invalid input
    }
  }
}
