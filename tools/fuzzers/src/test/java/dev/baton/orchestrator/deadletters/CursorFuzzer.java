/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.TextInput;
import dev.baton.orchestrator.problem.ProblemException;

/** Cursors of pages of dead letters. */
public final class CursorFuzzer {
  private CursorFuzzer() {}

  public static void cursor(byte[] input) {
    DeadLetterPosition position;
    try {
      position = DeadLetterPosition.parse(TextInput.text(input));
    } catch (ProblemException rejected) {
      return;
    }
    FuzzAssert.same(position, DeadLetterPosition.parse(position.toString()));
  }
}
