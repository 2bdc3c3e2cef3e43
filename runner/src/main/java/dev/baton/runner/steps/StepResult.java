/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.LogTail;
import org.jspecify.annotations.Nullable;

/** Result of an attempt. */
public sealed interface StepResult {
  record Done(JsonNode output, @Nullable Integer exitCode, @Nullable LogTail log)
      implements StepResult {}

  /**
   * @param mayPass whether another attempt could succeed; if not, the step is not retried
   */
  record Failed(Failure error, boolean mayPass, @Nullable LogTail log) implements StepResult {}

  static StepResult done(JsonNode output) {
    return new Done(output, null, null);
  }

  static StepResult failed(String code, String message) {
    return new Failed(Failure.of(code, shorten(message)), true, null);
  }

  /** Returns a failure that another attempt would only repeat. */
  static StepResult failedForGood(String code, String message) {
    return new Failed(Failure.of(code, shorten(message)), false, null);
  }

  static StepResult failed(ExpressionException e) {
    boolean mayPass = e.reason() == ExpressionException.Reason.TOO_SLOW;
    return new Failed(Failure.of("expression", shorten(e.describe())), mayPass, null);
  }

  /** Returns one line of at most 1,000 characters. */
  static String shorten(String message) {
    String line = message.replaceAll("[\\r\\n]+", " ");
    return TextShortener.shorten(line, 1_000);
  }
}
