/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.Answer;
import dev.baton.chaos.history.Effect;
import dev.baton.chaos.history.History;
import dev.baton.chaos.history.Logged;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A history, read run by run. The workload's runs only: others are somebody else's business. */
final class Evidence {
  private final History history;
  private final Map<String, RunReading> readings = new LinkedHashMap<>();
  private final Map<String, List<Effect>> effects;
  private final Map<String, List<Answer>> answers;

  Evidence(History history) {
    this.history = history;
    Set<String> ours = new HashSet<>();
    history.runs().forEach(run -> ours.add(run.run()));
    history.runs().forEach(run -> readings.put(run.run(), new RunReading(run.run())));
    history.log().stream()
        .filter(record -> ours.contains(record.run()))
        .sorted(Comparator.comparingInt(Logged::partition).thenComparingLong(Logged::offset))
        .forEach(record -> reading(record.run()).add(record));
    effects =
        history.ledger().stream()
            .filter(effect -> ours.contains(effect.run()))
            .collect(Collectors.groupingBy(Effect::run));
    answers =
        history.answers().stream()
            .filter(answer -> ours.contains(answer.run()))
            .collect(Collectors.groupingBy(Answer::run));
  }

  History history() {
    return history;
  }

  Iterable<RunReading> readings() {
    return readings.values();
  }

  RunReading reading(String run) {
    return readings.computeIfAbsent(run, RunReading::new);
  }

  /** A run's, in the ledger's order. */
  List<Effect> effects(String run) {
    return effects.getOrDefault(run, List.of());
  }

  /** A run's, in the order in which they came. */
  List<Answer> answers(String run) {
    return answers.getOrDefault(run, List.of());
  }
}
