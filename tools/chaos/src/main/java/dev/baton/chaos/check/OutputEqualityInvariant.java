/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.WorkloadRun;

/** Checks that faults do not change the output of a run. */
final class OutputEqualityInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (WorkloadRun run : evidence.history().runs()) {
      for (JudgedRecord placed : evidence.reading(run.run()).records()) {
        if (placed.counts() && placed.record().is("run_completed")) {
          findings.checked();
          JsonNode output = placed.record().data().path("output").path("value");
          if (!output.equals(run.expected())) {
            findings.violated(differs(run, output).with(placed.record()));
          }
        }
      }
      for (ApiResponseRecord answer : evidence.answers(run.run())) {
        if (answer.request() == ApiResponseRecord.Request.RUN
            && answer.body().path("status").asText().equals("completed")) {
          findings.checked();
          JsonNode output = answer.body().path("output");
          if (!output.equals(run.expected())) {
            findings.violated(differs(run, output).with(answer));
          }
        }
      }
    }
  }

  private static InvariantViolation differs(WorkloadRun run, JsonNode output) {
    return InvariantViolation.of(
        run.run(),
        "its output is %s instead of %s (workflow %s)"
            .formatted(output, run.expected(), run.workflow()));
  }
}
