/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ObservedRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that every run completes within the bound after the faults, and that the API reports it.
 */
final class RunTerminationInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    Map<String, Long> seen = new HashMap<>();
    for (ObservedRecord record : evidence.history().seen()) {
      seen.putIfAbsent(record.id(), record.atMs());
    }
    long latest = evidence.history().meta().faultsStoppedMs() + evidence.history().meta().boundMs();
    for (RunLogReplay reading : evidence.readings()) {
      findings.checked();
      String end = reading.whole().end();
      if (!end.equals("completed")) {
        InvariantViolation violation =
            InvariantViolation.of(
                reading.run(), end.isEmpty() ? "it has not ended" : "it ended as " + end);
        findings.violated(
            reading.records().isEmpty()
                ? violation
                : violation.with(reading.records().getLast().record()));
        continue;
      }
      reading.records().stream()
          .filter(placed -> placed.counts() && placed.record().is("run_completed"))
          .filter(placed -> seen.getOrDefault(placed.record().id(), 0L) > latest)
          .findFirst()
          .ifPresent(
              placed ->
                  findings.violated(
                      InvariantViolation.of(reading.run(), "it ended later than " + latest + " ms")
                          .with(placed.record())));
      List<ApiResponseRecord> told =
          evidence.answers(reading.run()).stream()
              .filter(
                  answer ->
                      answer.request() == ApiResponseRecord.Request.RUN && answer.status() == 200)
              .toList();
      if (told.isEmpty() || !told.getLast().body().path("status").asText().equals(end)) {
        InvariantViolation violation =
            InvariantViolation.of(reading.run(), "the API never reported its end");
        findings.violated(told.isEmpty() ? violation : violation.with(told.getLast()));
      }
    }
  }
}
