/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;

/**
 * Checks that a run is degraded only after a checkpoint was damaged, and that the API then reports
 * it for the run's remaining life.
 */
final class DegradedResumeInvariant implements InvariantCheck {
  private static final String DAMAGE = "DAMAGE_CHECKPOINT";

  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    boolean damaged =
        evidence.history().faults().stream()
            .anyMatch(fault -> fault.done() && fault.kind().equals(DAMAGE));
    for (RunLogReplay reading : evidence.readings()) {
      findings.checked();
      reading.records().stream()
          .filter(placed -> placed.counts() && placed.record().is("run_degraded"))
          .findFirst()
          .ifPresent(first -> check(first, damaged, reading, evidence, findings));
    }
  }

  private static void check(
      JudgedRecord first,
      boolean damaged,
      RunLogReplay reading,
      RunHistoryIndex evidence,
      ViolationCollector findings) {
    if (!damaged) {
      findings.violated(
          InvariantViolation.of(reading.run(), "it was degraded although no checkpoint was damaged")
              .with(first.record()));
    }
    for (ApiResponseRecord answer : evidence.answers(reading.run())) {
      if (answer.request() == ApiResponseRecord.Request.RUN
          && answer.body().path("status").asText().equals("completed")
          && answer.body().path("degraded").isEmpty()) {
        findings.violated(
            InvariantViolation.of(reading.run(), "the API does not report that the run is degraded")
                .with(first.record())
                .with(answer));
        return;
      }
    }
  }
}
