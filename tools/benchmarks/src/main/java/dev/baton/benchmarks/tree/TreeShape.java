/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

/**
 * Parameters of a generated tree: the same shape gives the same bytes.
 *
 * @param seed of all random choices
 * @param files approximate number of files, 100 to 2,000,000; all other sizes follow from it
 */
public record TreeShape(long seed, int files) {
  /** 1 GiB of 85,000 files. */
  private static final double BYTES_PER_FILE = (1 << 30) / 85_000.0;

  // Incremented whenever the generator's output for the same shape changes.
  private static final int GENERATOR = 1;

  public TreeShape {
    if (files < 100 || files > 2_000_000) {
      throw new IllegalArgumentException(files + " files is not allowed: use 100 to 2,000,000");
    }
  }

  /** Returns a name for a folder. */
  public String name() {
    return "tree-" + GENERATOR + "-" + seed + "-" + files;
  }

  /** Approximate size of all files together. */
  public long bytes() {
    return Math.round(files * BYTES_PER_FILE);
  }

  int folders() {
    return files * 9 / 85;
  }

  int texts() {
    return (int) Math.round(files * 0.965);
  }

  long textBytes() {
    return Math.round(bytes() * 0.60);
  }

  /** Size of each of the three binaries: a tenth of all files. */
  int binaryBytes() {
    return (int) (bytes() / 10.74);
  }

  int links() {
    return files / 280;
  }
}
