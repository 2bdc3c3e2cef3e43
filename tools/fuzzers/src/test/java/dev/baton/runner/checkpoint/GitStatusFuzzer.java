/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.fuzz.FuzzAssert;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Output of {@code git status --porcelain=v2 -z} in a hostile repository. */
public final class GitStatusFuzzer {
  private GitStatusFuzzer() {}

  public static void status(byte[] input) throws IOException {
    GitStatus status;
    try {
      status = GitStatus.read(new ByteArrayInputStream(input));
    } catch (IOException rejected) {
      return;
    }
    FuzzAssert.require(status.files().size() <= 1_000, "bounded");
  }
}
