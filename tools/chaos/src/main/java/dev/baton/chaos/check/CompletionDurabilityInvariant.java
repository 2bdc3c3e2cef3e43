/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.history.ApiResponseRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that completions are durable. A completion in the log is acknowledged, since its runner
 * continues after it. It must be in the store's copy of the trace, and each completion that the API
 * returned must be in the log.
 */
final class CompletionDurabilityInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      checkStore(reading, evidence, findings);
      checkTold(reading, evidence, findings);
    }
  }

  private static void checkStore(
      RunLogReplay reading, RunHistoryIndex evidence, ViolationCollector findings) {
    List<String> stored = new ArrayList<>();
    for (ApiResponseRecord answer : evidence.answers(reading.run())) {
      if (answer.request() == ApiResponseRecord.Request.EVENTS && answer.status() == 200) {
        stored.clear();
        answer.body().path("events").forEach(event -> stored.add(event.path("id").asText()));
      }
    }
    int at = 0;
    for (JudgedRecord placed : reading.records()) {
      if (!placed.counts()) {
        continue;
      }
      findings.checked();
      String id = placed.record().id();
      int found = stored.subList(at, stored.size()).indexOf(id);
      if (found < 0) {
        String how = stored.contains(id) ? "not in the log's order" : "missing";
        findings.violated(
            InvariantViolation.of(
                    reading.run(), id + " is " + how + " in the store's copy of the trace")
                .with(placed.record()));
        return;
      }
      at += found + 1;
    }
  }

  private static void checkTold(
      RunLogReplay reading, RunHistoryIndex evidence, ViolationCollector findings) {
    Set<String> completed = new HashSet<>();
    reading.records().stream()
        .filter(placed -> placed.counts() && placed.record().is("step_completed"))
        .forEach(placed -> completed.add(placed.record().text("step")));
    Set<String> told = new HashSet<>();
    for (ApiResponseRecord answer : evidence.answers(reading.run())) {
      for (JsonNode step : answer.body().path("steps")) {
        String path = step.path("step").asText(step.path("id").asText());
        if (step.path("status").asText().equals("completed") && told.add(path)) {
          findings.checked();
          if (!completed.contains(path)) {
            findings.violated(
                InvariantViolation.of(
                        reading.run(),
                        "the API reports that " + path + " has completed; the log does not")
                    .with(answer));
          }
        }
      }
    }
  }
}
