/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LoggedRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Replays one run's records in the log's order. Computes the verdict on each record, the run's
 * state after each, and the completions that stood at each takeover by a runner.
 *
 * <p>Rules from the design: each lane counts in the order of {@code seq}, once; a runner's record
 * counts while its epoch is the latest assigned one; no record counts after the end until a resume.
 * A step that completed {@code without_cut} stands only when a later cut of its branch has its
 * files; if the runner is replaced before that, the step and its successors in the branch may run
 * again. After {@code run_degraded} only what came before the restored state stands.
 */
final class RunLogReplay {
  private static final Map<String, String> ENDS =
      Map.of(
          "run_completed", "completed",
          "run_failed", "failed",
          "run_cancelled", "cancelled",
          "run_lost", "lost");

  private final String run;
  private final List<JudgedRecord> records = new ArrayList<>();
  private final List<RunPrefix> prefixes = new ArrayList<>(List.of(RunPrefix.NONE));
  private final Map<Integer, Map<String, LoggedRecord>> stoodAt = new TreeMap<>();
  private final List<Repeat> repeats = new ArrayList<>();

  private final Map<Integer, Long> lastSeq = new HashMap<>();
  private final Map<String, JudgedRecord> standing = new HashMap<>();
  private final Map<String, Integer> uncommittedSince = new HashMap<>();
  private final Set<String> asked = new HashSet<>();
  private int epoch;
  private int completed;
  private String end = "";
  private boolean parked;

  /** Two completions of the same visit that both count. */
  record Repeat(LoggedRecord first, LoggedRecord second) {}

  RunLogReplay(String run) {
    this.run = run;
  }

  String run() {
    return run;
  }

  /** All records, in the log's order. */
  List<JudgedRecord> records() {
    return records;
  }

  /** All prefixes: one more than there are records; the first is empty. */
  List<RunPrefix> prefixes() {
    return prefixes;
  }

  RunPrefix whole() {
    return prefixes.getLast();
  }

  List<Repeat> repeats() {
    return repeats;
  }

  /** The completions that stood when an epoch was assigned, by {@code step/visit}. */
  Map<String, LoggedRecord> stoodAt(int epochOf) {
    return stoodAt.getOrDefault(epochOf, Map.of());
  }

  Set<Integer> assigned() {
    return stoodAt.keySet();
  }

  static String visit(String step, int visit) {
    return step + "/" + visit;
  }

  void add(LoggedRecord record) {
    JudgedRecord placed = new JudgedRecord(records.size(), record, judge(record));
    records.add(placed);
    if (placed.counts()) {
      apply(placed);
    }
    prefixes.add(new RunPrefix(records.size(), epoch, completed, end, parked || !asked.isEmpty()));
  }

  private RecordVerdict judge(LoggedRecord record) {
    if (!record.isControl() && record.epoch() != epoch) {
      return record.epoch() < epoch ? RecordVerdict.FENCED : RecordVerdict.EARLY;
    }
    if (record.seq() <= lastSeq.getOrDefault(record.epoch(), 0L)) {
      return RecordVerdict.DUPLICATE;
    }
    lastSeq.put(record.epoch(), record.seq());
    boolean after = !end.isEmpty() && !record.is("labels_changed") && !reopens(record);
    return after ? RecordVerdict.AFTER_END : RecordVerdict.COUNTS;
  }

  private static boolean reopens(LoggedRecord record) {
    return record.is("resume_requested")
        || (record.is("runner_assigned") && record.text("reason").equals("resume"));
  }

  private void apply(JudgedRecord placed) {
    LoggedRecord record = placed.record();
    if (reopens(record)) {
      end = "";
    }
    String ended = ENDS.get(record.type());
    if (ended != null) {
      // A step that kills its runner repeatedly fails its run.
      end = record.data().path("reason").asText().equals("crash_loop") ? "failed" : ended;
      parked = false;
      asked.clear();
    } else if (record.is("runner_assigned")) {
      assign(record.data().path("epoch").asInt());
    } else if (record.is("run_created") && record.text("kind").equals("external")) {
      // An external client that registers a run holds it from the beginning.
      assign(1);
    } else if (record.is("run_degraded")) {
      degrade(record);
    } else if (record.is("step_completed")) {
      complete(placed);
    } else if (record.is("step_skipped") || record.is("step_failed")) {
      leave(placed);
    } else if (record.is("approval_requested") || record.is("checkpoint_waiting")) {
      asked.add(record.text("step"));
    } else if (record.is("run_parked") || record.is("run_paused")) {
      parked = record.is("run_parked");
    } else if (record.is("approval_answered")) {
      asked.remove(record.text("step"));
    }
  }

  private void assign(int next) {
    if (next <= epoch) {
      return;
    }
    uncommittedSince.forEach(
        (branch, since) ->
            standing
                .values()
                .removeIf(
                    done -> done.index() >= since && isWithin(done.record().text("step"), branch)));
    uncommittedSince.clear();
    parked = false;
    epoch = next;
    Map<String, LoggedRecord> stood = new HashMap<>();
    standing.forEach((visit, done) -> stood.put(visit, done.record()));
    stoodAt.put(next, stood);
  }

  /** Drops what came after the restored state: its checkpoints are damaged, it may run again. */
  private void degrade(LoggedRecord record) {
    String after = record.text("after");
    int restored =
        records.stream()
            .filter(placed -> placed.counts() && placed.record().id().equals(after))
            .mapToInt(JudgedRecord::index)
            .findFirst()
            .orElse(-1);
    if (restored < 0) {
      completed = 0;
    }
    standing.values().removeIf(done -> done.index() > restored);
    uncommittedSince.values().removeIf(since -> since > restored);
    asked.clear();
    stoodAt.getOrDefault(epoch, Map.of()).values().removeIf(done -> !stands(done));
  }

  private boolean stands(LoggedRecord done) {
    return standing.values().stream().anyMatch(placed -> placed.record() == done);
  }

  private void complete(JudgedRecord placed) {
    completed++;
    LoggedRecord record = placed.record();
    String visit = visit(record.text("step"), record.data().path("visit").asInt(1));
    JudgedRecord before = standing.put(visit, placed);
    if (before != null) {
      repeats.add(new Repeat(before.record(), record));
    }
    leave(placed);
  }

  /** Applies the effect of a step's end on the files of its branch. */
  private void leave(JudgedRecord placed) {
    LoggedRecord record = placed.record();
    String step = record.text("step");
    asked.removeIf(other -> other.equals(step) || other.startsWith(step + "/"));
    if (record.is("step_skipped") && record.text("reason").equals("replayed from snapshot")) {
      return;
    }
    uncommittedSince.keySet().removeIf(branch -> branch.startsWith(step + "/"));
    if (record.data().path("cut").isObject()) {
      uncommittedSince.remove(branchOf(step));
    } else if (record.data().path("without_cut").asBoolean()) {
      uncommittedSince.putIfAbsent(branchOf(step), placed.index());
    }
  }

  private static String branchOf(String step) {
    int slash = step.lastIndexOf('/');
    return slash < 0 ? "" : step.substring(0, slash);
  }

  private static boolean isWithin(String step, String branch) {
    return branch.isEmpty() || step.startsWith(branch + "/");
  }
}
