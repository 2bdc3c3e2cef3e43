/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/**
 * Bounds of the chunks of files, in bytes. A tree may have files that were split with different
 * bounds; a reader needs none of them.
 *
 * @param whole maximum size of data (a file, or the data between two holes) that is one chunk
 * @param min minimum size of a chunk, except the last of a file
 * @param average near which the sizes are; a power of two, 1 KiB to 1 MiB
 * @param max maximum size of a chunk, at most {@link FastCdcChunker#MAX}
 */
public record ChunkSizes(int whole, int min, int average, int max) {
  /** For files of any size: few chunks. */
  public static final ChunkSizes STANDARD =
      new ChunkSizes(
          FastCdcChunker.WHOLE, FastCdcChunker.MIN, FastCdcChunker.AVERAGE, FastCdcChunker.MAX);

  /**
   * For files that grow a little between two captures: each stores about one chunk again, and from
   * 16 chunks on the list of chunks.
   */
  public static final ChunkSizes GROWING = new ChunkSizes(8 << 10, 4 << 10, 16 << 10, 64 << 10);

  private static final int LEAST_AVERAGE = 1 << 10;

  public ChunkSizes {
    if (average < LEAST_AVERAGE
        || average > FastCdcChunker.AVERAGE
        || Integer.bitCount(average) != 1) {
      throw new IllegalArgumentException(
          "an average of %d bytes; allowed are powers of two from %d to %d"
              .formatted(average, LEAST_AVERAGE, FastCdcChunker.AVERAGE));
    }
    if (min < 1 || min > average || max < average || max > FastCdcChunker.MAX) {
      throw new IllegalArgumentException(
          "chunks of %d to %d bytes; allowed are 1 to %d, with the average %d between them"
              .formatted(min, max, FastCdcChunker.MAX, average));
    }
    if (whole < 1 || whole > max) {
      throw new IllegalArgumentException(
          "files of %d bytes in one chunk; allowed are 1 to %d".formatted(whole, max));
    }
  }

  /** The number of zero bits of a fingerprint that end one chunk in {@link #average} bytes. */
  int averageBits() {
    return Integer.numberOfTrailingZeros(average);
  }
}
