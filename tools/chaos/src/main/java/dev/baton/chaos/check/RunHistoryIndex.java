/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Indexes a history by run. Includes only the runs of the workload. */
final class RunHistoryIndex {
  private final ChaosHistory history;
  private final Map<String, RunLogReplay> readings = new LinkedHashMap<>();
  private final Map<String, List<LedgerEffect>> effects;
  private final Map<String, List<ApiResponseRecord>> answers;

  RunHistoryIndex(ChaosHistory history) {
    this.history = history;
    Set<String> ours = new HashSet<>();
    history.runs().forEach(run -> ours.add(run.run()));
    history.runs().forEach(run -> readings.put(run.run(), new RunLogReplay(run.run())));
    history.log().stream()
        .filter(record -> ours.contains(record.run()))
        .sorted(
            Comparator.comparingInt(LoggedRecord::partition)
                .thenComparingLong(LoggedRecord::offset))
        .forEach(record -> reading(record.run()).add(record));
    effects =
        history.ledger().stream()
            .filter(effect -> ours.contains(effect.run()))
            .collect(Collectors.groupingBy(LedgerEffect::run));
    answers =
        history.answers().stream()
            .filter(answer -> ours.contains(answer.run()))
            .collect(Collectors.groupingBy(ApiResponseRecord::run));
  }

  ChaosHistory history() {
    return history;
  }

  Iterable<RunLogReplay> readings() {
    return readings.values();
  }

  RunLogReplay reading(String run) {
    return readings.computeIfAbsent(run, RunLogReplay::new);
  }

  /** Returns a run's effects, in the ledger's order. */
  List<LedgerEffect> effects(String run) {
    return effects.getOrDefault(run, List.of());
  }

  /** Returns the API responses about a run, in the order of their arrival. */
  List<ApiResponseRecord> answers(String run) {
    return answers.getOrDefault(run, List.of());
  }
}
