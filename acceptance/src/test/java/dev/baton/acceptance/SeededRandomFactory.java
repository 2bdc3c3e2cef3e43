/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.util.Random;

/**
 * Derives every random choice of a test from one printed number; {@code -Dbaton.seed} repeats it.
 */
final class SeededRandomFactory {
  private static final long SEED = Long.getLong("baton.seed", System.nanoTime());

  private SeededRandomFactory() {}

  /**
   * @param what name of the case: each has its own choices, always the same for a seed
   */
  static Random random(String what) {
    System.out.println("-Dbaton.seed=" + SEED + ": " + what);
    return new Random(SEED * 31 + what.hashCode());
  }
}
