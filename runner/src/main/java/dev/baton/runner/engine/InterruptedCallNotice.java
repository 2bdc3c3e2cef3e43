/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.BegunToolCall;

/**
 * The result that a model gets of an interrupted call that does not run again. The same call in the
 * same state has the same text in each epoch: a resumed agent repeats its requests with it.
 */
final class InterruptedCallNotice {
  private static final String EFFECTS =
      " Its changes to files of the workspace were undone; its effects elsewhere were not."
          + " Check them before you repeat the call.";

  private InterruptedCallNotice() {}

  /** Returns the text. */
  static String of(BegunToolCall call) {
    return call.outcome() == null
        ? "The outcome of this call is unknown: the agent was interrupted while the call ran, and"
            + " the call was not run again."
            + EFFECTS
        : "The result of this call is lost: the agent was interrupted after the call had ended with"
            + " '%s', and the call was not run again.".formatted(call.outcome())
            + EFFECTS;
  }
}
