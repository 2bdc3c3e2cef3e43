/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

/** What Jazzer calls, in a process for each target. */
public final class JazzerEntry {
  /** Names the target. */
  static final String TARGET = "baton.fuzz.target";

  private static final FuzzTarget SELECTED =
      FuzzTargetRegistry.of(System.getProperty(TARGET, "none"));

  private JazzerEntry() {}

  /** Decodes one input of the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    SELECTED.run(input);
  }
}
