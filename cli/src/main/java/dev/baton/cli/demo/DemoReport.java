/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Results of the demo.
 *
 * @param failures violations of the guarantees; empty when there are none
 */
record DemoReport(
    DemoArtifacts expected,
    List<RunnerKill> kills,
    boolean identical,
    int completed,
    int repeated,
    int fenced,
    List<String> failures) {

  static DemoReport none(DemoArtifacts expected) {
    return new DemoReport(expected, List.of(), true, 0, 0, 0, List.of());
  }

  boolean passed() {
    return failures.isEmpty();
  }

  /** Adds another disturbed run. */
  DemoReport with(DemoRun run, DemoArtifacts made, TraceCheck trace) {
    List<String> found = new ArrayList<>(failures);
    boolean same = made.equals(expected) && made.consistent();
    if (!same) {
      found.add(
          "run %s has a different result: %s, expected %s".formatted(run.id(), made, expected));
    }
    if (!trace.repeated().isEmpty()) {
      found.add("run %s repeated completed steps: %s".formatted(run.id(), trace.repeated()));
    }
    return new DemoReport(
        expected,
        Stream.concat(kills.stream(), run.kills().stream()).toList(),
        identical && same,
        completed + trace.completed(),
        repeated + trace.repeated().size(),
        fenced + trace.fenced(),
        List.copyOf(found));
  }

  /** Completes the report after the last run. */
  DemoReport complete(int wanted) {
    return kills.size() >= wanted
        ? this
        : failing("only %d of %d kills were performed".formatted(kills.size(), wanted));
  }

  /** Adds the processes that were still running after the stop. */
  DemoReport with(List<String> leftovers) {
    return leftovers.isEmpty()
        ? this
        : failing("still running after the stop: " + String.join("; ", leftovers));
  }

  void print(CommandContext context, DemoPrinter narrator, long seed) {
    context.show(json(seed), () -> people(narrator));
    failures.forEach(failure -> context.terminal().err().println("baton: " + failure));
  }

  private void people(DemoPrinter narrator) {
    narrator.title("Result");
    narrator.line(
        "  report.md and report.tar.gz      "
            + (identical ? "byte-identical to the undisturbed run's" : "DIFFERENT"));
    narrator.line("    report.md                      sha256 " + expected.report());
    narrator.line("    report.tar.gz                  sha256 " + expected.archive());
    narrator.line("  completed steps that ran twice   %d of %d".formatted(repeated, completed));
    for (RunnerKill kill : kills) {
      narrator.line(
          "  SIGKILL to next step             %s%s"
              .formatted(
                  seconds(Objects.requireNonNull(kill.failoverMs())),
                  kill.eventMs() == null
                      ? ""
                      : " (by the events' own times " + seconds(kill.eventMs()) + ")"));
    }
    if (kills.size() > 1) {
      narrator.line(
          "  median %s, p99 %s over %d kills"
              .formatted(seconds(percentile(50)), seconds(percentile(99)), kills.size()));
    }
    narrator.line(
        passed() ? "  all guarantees hold; no process is left running" : "  guarantees violated:");
  }

  private ObjectNode json(long seed) {
    ObjectNode json = Json.mapper().createObjectNode();
    ArrayNode list = json.putArray("kills");
    for (RunnerKill kill : kills) {
      ObjectNode entry = list.addObject().put("step", kill.step());
      entry.put("failover_ms", rounded(Objects.requireNonNull(kill.failoverMs())));
      if (kill.eventMs() != null) {
        entry.put("failover_by_event_time_ms", rounded(kill.eventMs()));
      }
      entry.put("run", kill.run()).put("epoch", kill.epoch());
    }
    if (!kills.isEmpty()) {
      json.put("median_ms", rounded(percentile(50)));
      json.put("p99_ms", rounded(percentile(99)));
    }
    json.put("identical", identical);
    json.put("repeated_steps", repeated);
    json.put("completed_steps", completed);
    json.put("fenced", fenced);
    json.put("seed", seed);
    failures.forEach(json.putArray("failures")::add);
    return json;
  }

  /** Returns a percentile, by nearest rank. */
  double percentile(int percent) {
    double[] sorted = times().sorted().toArray();
    int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
    return sorted[Math.max(1, rank) - 1];
  }

  private DoubleStream times() {
    return kills.stream().mapToDouble(kill -> Objects.requireNonNull(kill.failoverMs()));
  }

  private DemoReport failing(String why) {
    return new DemoReport(
        expected,
        kills,
        identical,
        completed,
        repeated,
        fenced,
        Stream.concat(failures.stream(), Stream.of(why)).toList());
  }

  private static double rounded(double ms) {
    return Math.round(ms * 10) / 10.0;
  }

  private static String seconds(double ms) {
    return String.format(Locale.ROOT, "%.3f s", ms / 1000);
  }
}
