/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.chaos.history.ApiResponseRecord;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of checking a history.
 *
 * @param seed of the history
 * @param runs number of runs
 * @param runsUnderFaults number of runs acknowledged before the faults stopped
 * @param faults number of injected faults, by kind
 * @param records in the log
 * @param effects in the ledger
 * @param answers number of API responses
 * @param invariants each with its result
 */
public record ChaosVerdict(
    long seed,
    int runs,
    int runsUnderFaults,
    Map<String, Integer> faults,
    int records,
    int effects,
    int answers,
    List<Outcome> invariants) {
  private static final int SHOWN = 5;

  /**
   * The result of one invariant.
   *
   * @param checked number of observations that could have violated it; with 0 the result has no
   *     significance
   */
  public record Outcome(
      String name, String says, long checked, List<InvariantViolation> violations) {
    /** Copies the list. */
    public Outcome {
      violations = List.copyOf(violations);
    }
  }

  /** Copies the collections. */
  public ChaosVerdict {
    faults = Map.copyOf(faults);
    invariants = List.copyOf(invariants);
  }

  /** Checks all invariants. */
  public static ChaosVerdict of(ChaosHistory history) {
    RunHistoryIndex evidence = new RunHistoryIndex(history);
    List<Outcome> outcomes = new ArrayList<>();
    for (Invariant invariant : Invariant.ALL) {
      ViolationCollector findings = new ViolationCollector();
      invariant.check().check(evidence, findings);
      outcomes.add(
          new Outcome(invariant.name(), invariant.says(), findings.count(), findings.violations()));
    }
    Map<String, Integer> faults = new TreeMap<>();
    history.faults().stream()
        .filter(fault -> fault.done())
        .forEach(fault -> faults.merge(fault.kind(), 1, Integer::sum));
    return new ChaosVerdict(
        history.meta().seed(),
        history.runs().size(),
        underFaults(history),
        faults,
        history.log().size(),
        history.ledger().size(),
        history.answers().size(),
        outcomes);
  }

  private static int underFaults(ChaosHistory history) {
    return (int)
        history.answers().stream()
            .filter(
                answer ->
                    answer.request() == ApiResponseRecord.Request.CREATE && answer.acknowledges())
            .filter(answer -> answer.answeredMs() <= history.meta().faultsStoppedMs())
            .filter(
                answer -> history.runs().stream().anyMatch(run -> run.run().equals(answer.run())))
            .count();
  }

  /** Whether every invariant holds. */
  public boolean ok() {
    return invariants.stream().allMatch(outcome -> outcome.violations().isEmpty());
  }

  /** Number of injected faults. */
  public int faultCount() {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The names of the invariants that do not hold. */
  public List<String> broken() {
    return invariants.stream()
        .filter(outcome -> !outcome.violations().isEmpty())
        .map(Outcome::name)
        .toList();
  }

  /** Formats the result as JSON. */
  public JsonNode json() {
    ObjectNode json = ChaosHistoryStore.JSON.valueToTree(this);
    return json.put("ok", ok()).put("fault_count", faultCount());
  }

  /** Formats the result as text. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d runs (%d under faults), %d faults, %d records, %d effects, %d API responses"
            .formatted(seed, runs, runsUnderFaults, faultCount(), records, effects, answers));
    new TreeMap<>(faults).forEach((kind, count) -> lines.add("  %5d %s".formatted(count, kind)));
    for (Outcome outcome : invariants) {
      List<InvariantViolation> violations = outcome.violations();
      lines.add(
          "%-6s %-33s %7d checked%s"
              .formatted(
                  violations.isEmpty() ? "holds" : "BROKEN",
                  outcome.name(),
                  outcome.checked(),
                  violations.isEmpty() ? "" : ", " + violations.size() + " violations"));
      violations.stream().limit(SHOWN).forEach(violation -> show(violation, lines));
      if (violations.size() > SHOWN) {
        lines.add(
            "       and %d more (all of them with -o json)".formatted(violations.size() - SHOWN));
      }
    }
    lines.add(ok() ? "all invariants hold" : "BROKEN: " + String.join(", ", broken()));
    return lines;
  }

  private static void show(InvariantViolation violation, List<String> lines) {
    lines.add("       run " + violation.run() + ": " + violation.says());
    violation.events().forEach(event -> lines.add("         log    " + event));
    violation.ledger().forEach(effect -> lines.add("         ledger " + effect));
    violation.answers().forEach(answer -> lines.add("         API    " + answer));
  }
}
