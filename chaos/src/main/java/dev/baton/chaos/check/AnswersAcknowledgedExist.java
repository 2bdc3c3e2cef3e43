/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.Answer;

/** An approval's answer that the API has taken is in the log. */
final class AnswersAcknowledgedExist implements Invariant {
  @Override
  public String name() {
    return "acknowledged-answer-survives";
  }

  @Override
  public String says() {
    return "every answer to an approval that the API has taken is on the log";
  }

  @Override
  public void check(Evidence evidence, Findings findings) {
    for (RunReading reading : evidence.readings()) {
      for (Answer answer : evidence.answers(reading.run())) {
        if (answer.request() != Answer.Request.ANSWER || !answer.acknowledges()) {
          continue;
        }
        findings.checked();
        String approval = answer.body().path("approval").asText();
        boolean there =
            reading.records().stream()
                .map(Placed::record)
                .anyMatch(
                    record ->
                        record.is("approval_answered") && record.text("approval").equals(approval));
        if (!there) {
          findings.violated(
              Violation.of(
                      reading.run(),
                      "the answer to approval " + approval + " was taken and is not in the log")
                  .with(answer));
        }
      }
    }
  }
}
