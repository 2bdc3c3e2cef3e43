/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;

/** Checks that each answer to an approval that the API acknowledged is in the log. */
final class AcknowledgedAnswerInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      for (ApiResponseRecord answer : evidence.answers(reading.run())) {
        if (answer.request() != ApiResponseRecord.Request.ANSWER || !answer.acknowledges()) {
          continue;
        }
        findings.checked();
        String approval = answer.body().path("approval").asText();
        boolean there =
            reading.records().stream()
                .map(JudgedRecord::record)
                .anyMatch(
                    record ->
                        record.is("approval_answered") && record.text("approval").equals(approval));
        if (!there) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "the answer to approval "
                          + approval
                          + " was acknowledged and is not in the log")
                  .with(answer));
        }
      }
    }
  }
}
