/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.LoggedRecord;
import java.util.Optional;

/**
 * Checks that all records of a run are in the partition of its {@code run_created}, and that the
 * API returns that partition: only within a partition does the log have an order.
 */
final class HomePartitionInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      Optional<LoggedRecord> created =
          reading.records().stream()
              .map(JudgedRecord::record)
              .filter(record -> record.is("run_created"))
              .findFirst();
      created.ifPresent(first -> check(first, reading, evidence, findings));
    }
  }

  private static void check(
      LoggedRecord created,
      RunLogReplay reading,
      RunHistoryIndex evidence,
      ViolationCollector findings) {
    for (JudgedRecord placed : reading.records()) {
      findings.checked();
      if (placed.record().partition() != created.partition()) {
        findings.violated(
            InvariantViolation.of(
                    reading.run(),
                    "%s is in partition %d, the run's home is %d"
                        .formatted(
                            placed.record().id(), placed.record().partition(), created.partition()))
                .with(created, placed.record()));
      }
    }
    for (ApiResponseRecord answer : evidence.answers(reading.run())) {
      int reported = answer.body().path("home_partition").asInt(created.partition());
      if (reported != created.partition()) {
        findings.violated(
            InvariantViolation.of(
                    reading.run(),
                    "the API returned home_partition %d, the run's home is %d"
                        .formatted(reported, created.partition()))
                .with(created)
                .with(answer));
      }
    }
  }
}
