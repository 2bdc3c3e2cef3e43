/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.testkit.TraceGenerator;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * For any prefix, any duplication and any interleaving of fenced epochs, the fold yields the state
 * of the clean trace.
 */
class FoldPropertyTest {
  @Property(tries = 2000)
  void shouldIgnoreFencedEventsAndDuplicatesAtEveryPrefix(@ForAll long seed, @ForAll long noise) {
    TraceGenerator trace = new TraceGenerator(seed);
    Random random = new Random(noise);
    int prefix = random.nextInt(trace.clean.size() + 1);
    List<TraceRecord> clean = trace.clean.subList(0, prefix);

    RunState expected = fold(clean);
    RunState noisy = fold(withNoise(clean, trace.late, random));

    assertThat(withoutCounters(noisy)).isEqualTo(withoutCounters(expected));
  }

  /** Some replacement runners return to an earlier state. */
  @Property(tries = 1000)
  void shouldIgnoreThemWhereCheckpointsAreDamagedToo(@ForAll long seed, @ForAll long noise) {
    TraceGenerator trace = TraceGenerator.damaged(seed);
    Random random = new Random(noise);
    List<TraceRecord> clean = trace.clean.subList(0, random.nextInt(trace.clean.size() + 1));

    RunState expected = foldKeeping(clean);
    RunState noisy = foldKeeping(withNoise(clean, trace.late, random));

    assertThat(withoutCounters(noisy)).isEqualTo(withoutCounters(expected));
    assertThat(Json.read(Json.bytes(expected), RunState.class)).isEqualTo(expected);
  }

  private static RunState foldKeeping(List<TraceRecord> records) {
    Set<String> marks =
        RestoreMarkFinder.find(records.stream().<TraceEvent>map(TraceRecord::event).toList());
    StateFold fold = new StateFold(RunState.empty(TraceGenerator.RUN), marks);
    records.forEach(fold::accept);
    return fold.state();
  }

  /** Seeds of traces that once gave two states. */
  @Example
  void shouldGiveTheSameOneByOneForKnownSeeds() {
    shouldGiveTheSameOneByOneAsInBulkAndThroughJson(-10_672_536);
  }

  @Property(tries = 500)
  void shouldGiveTheSameOneByOneAsInBulkAndThroughJson(@ForAll long seed) {
    TraceGenerator trace = new TraceGenerator(seed);
    RunState oneByOne = RunState.empty(TraceGenerator.RUN);
    for (TraceRecord record : trace.clean) {
      oneByOne = oneByOne.apply(record);
      oneByOne = Json.read(Json.bytes(oneByOne), RunState.class);
    }

    assertThat(oneByOne).isEqualTo(fold(trace.clean));
  }

  @Property(tries = 500)
  void shouldHoldNothingNewerThanTheNewestCutRightAfterAnAssignment(@ForAll long seed) {
    TraceGenerator trace = new TraceGenerator(seed);
    StateFold fold = new StateFold(RunState.empty(TraceGenerator.RUN));
    for (TraceRecord record : trace.clean) {
      fold.accept(record);
      if (record.event() instanceof TraceEvent.RunnerAssigned) {
        RunState state = fold.state();
        assertThat(state.branches().values()).allMatch(branch -> branch.uncommitted().isEmpty());
        assertThat(state.steps().values())
            .noneMatch(step -> step.status() == StepState.Status.RUNNING);
      }
    }
  }

  /**
   * Also folds the clean trace as if the runner had crashed just before the first step that ended
   * without a cut: on that branch both states must be the same.
   */
  @Property(tries = 2000)
  void shouldTakeBackToWhatWasThereBeforeTheFirstUncommittedStep(@ForAll long seed) {
    TraceGenerator trace = new TraceGenerator(seed);
    StateFold fold = new StateFold(RunState.empty(TraceGenerator.RUN));
    Map<String, Integer> begunAt = new TreeMap<>();
    for (int i = 0; i < trace.clean.size(); i++) {
      TraceRecord record = trace.clean.get(i);
      RunState before = fold.state();
      begunAt.keySet().retainAll(uncommitted(before));
      fold.accept(record);
      if (record.event() instanceof TraceEvent.RunnerAssigned) {
        for (String branch : begunAt.keySet()) {
          if (begunAt.keySet().stream().noneMatch(outer -> grewFrom(branch, outer))) {
            RunState expected =
                fold(trace.clean.subList(0, begunAt.getOrDefault(branch, 0))).apply(record);
            assertThat(on(branch, fold.state())).isEqualTo(on(branch, expected));
            assertThat(fold.state().head().waiting())
                .noneMatch(
                    step ->
                        StepPath.isWithin(StepPath.branchOf(step), branch)
                            && !expected.head().waiting().contains(step));
            assertThat(fold.state().branch(branch).next())
                .containsExactly(StepPath.idOf(before.branch(branch).uncommitted().getFirst()));
          }
        }
      }
      for (String branch : uncommitted(fold.state())) {
        begunAt.putIfAbsent(branch, i);
      }
      assertThat(fold.state().head().uncommitted()).isEqualTo(uncommitted(fold.state()));
    }
  }

  private static boolean grewFrom(String inner, String outer) {
    return !inner.equals(outer) && StepPath.isWithin(inner, outer);
  }

  private static Set<String> uncommitted(RunState state) {
    return state.branches().entrySet().stream()
        .filter(branch -> !branch.getValue().uncommitted().isEmpty())
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The data of a branch and its inner branches that a resume uses. */
  private static List<Object> on(String branch, RunState state) {
    Predicate<String> within = path -> StepPath.isWithin(StepPath.branchOf(path), branch);
    Map<String, BranchState> grown = new TreeMap<>(state.branches());
    grown.keySet().removeIf(other -> !grewFrom(other, branch));
    return List.of(
        filtered(state.steps(), within),
        Set.copyOf(filtered(state.reroutes(), within)),
        filtered(state.sessions(), within),
        filtered(state.plans(), within),
        state.approvals().values().stream().filter(a -> within.test(a.step())).toList(),
        grown,
        Optional.ofNullable(state.branch(branch).last()),
        Optional.ofNullable(state.branch(branch).cut()));
  }

  private static <V> List<Map.Entry<String, V>> filtered(
      Map<String, V> map, Predicate<String> within) {
    return map.entrySet().stream().filter(entry -> within.test(entry.getKey())).toList();
  }

  @Property(tries = 300)
  void shouldCountWhatItDrops(@ForAll long seed) {
    TraceGenerator trace = new TraceGenerator(seed);
    List<TraceRecord> twice = new ArrayList<>();
    trace.clean.forEach(
        record -> {
          twice.add(record);
          twice.add(record);
        });

    RunHead head = fold(twice).head();

    assertThat(head.duplicates() + head.fenced())
        .isEqualTo(trace.clean.size() + fold(trace.clean).head().fenced());
    assertThat(head.gap()).isNull();
  }

  static RunState fold(List<TraceRecord> records) {
    StateFold fold = new StateFold(RunState.empty(TraceGenerator.RUN));
    records.forEach(fold::accept);
    return fold.state();
  }

  private static List<TraceRecord> withNoise(
      List<TraceRecord> clean, List<TraceGenerator.Late> late, Random random) {
    List<TraceRecord> noisy = new ArrayList<>();
    List<TraceGenerator.Late> pending = new ArrayList<>(late);
    for (int i = 0; i < clean.size(); i++) {
      noisy.add(clean.get(i));
      if (random.nextInt(4) == 0) {
        noisy.add(noisy.get(random.nextInt(noisy.size())));
      }
      int reached = i + 1;
      while (!pending.isEmpty()
          && pending.getFirst().notBefore() <= reached
          && random.nextBoolean()) {
        noisy.add(pending.removeFirst().record());
      }
    }
    return noisy;
  }

  private static List<Object> withoutCounters(RunState state) {
    RunHead h = state.head();
    RunHead head =
        new RunHead(
            h.phase(),
            h.epoch(),
            h.runner(),
            h.controlSeq(),
            h.runnerSeq(),
            h.pauseRequested(),
            h.active(),
            h.waiting(),
            h.lastStep(),
            h.completed(),
            h.skipped(),
            h.retried(),
            0,
            0,
            h.gap(),
            h.error(),
            h.uncommitted(),
            h.resumed(),
            h.leftOut(),
            h.degraded(),
            h.resumePoints(),
            h.agents(),
            h.toolCalls(),
            h.controlGap());
    return List.of(
        head,
        state.agents(),
        Optional.ofNullable(state.created()),
        state.steps(),
        state.branches(),
        state.approvals(),
        state.reroutes(),
        state.sessions(),
        state.plans(),
        Optional.ofNullable(state.output()));
  }
}
