/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/** A part of a file's content; extents are in file order. */
public sealed interface Extent {
  /** Returns the length in bytes of the file, at least 1. */
  long length();

  /** Bytes of one chunk; at most {@link FastCdcChunker#MAX}. */
  record Data(Hash chunk, int size) implements Extent {
    public Data {
      if (size < 1 || size > FastCdcChunker.MAX) {
        throw new IllegalArgumentException(
            "a chunk of a file is 1 to %d bytes, not %d".formatted(FastCdcChunker.MAX, size));
      }
    }

    @Override
    public long length() {
      return size;
    }
  }

  /** Zeros that take no space on disk; restored as a hole. */
  record Hole(long length) implements Extent {
    public Hole {
      if (length < 1) {
        throw new IllegalArgumentException("a hole is at least 1 byte, not " + length);
      }
    }
  }
}
