/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;

/** Checks that each run that {@code POST /runs} acknowledged is in the log. */
final class AcknowledgedRunInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      findings.checked();
      boolean created =
          reading.records().stream()
              .anyMatch(placed -> placed.counts() && placed.record().is("run_created"));
      if (!created) {
        findings.violated(
            InvariantViolation.of(reading.run(), "the log has no valid run_created of it"));
      }
      evidence.answers(reading.run()).stream()
          .filter(
              answer -> answer.request() == ApiResponseRecord.Request.RUN && answer.status() == 404)
          .findFirst()
          .ifPresent(
              answer ->
                  findings.violated(
                      InvariantViolation.of(reading.run(), "the API does not find it")
                          .with(answer)));
    }
  }
}
