/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.TraceRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * For any prefix, any duplication and any interleaving of zombie epochs the fold gives the state of
 * the clean trace.
 */
class FoldPropertyTest {
  @Property(tries = 2000)
  void shouldIgnoreZombiesAndDuplicatesAtEveryPrefix(@ForAll long seed, @ForAll long noise) {
    TraceGenerator trace = new TraceGenerator(seed);
    Random random = new Random(noise);
    int prefix = random.nextInt(trace.clean.size() + 1);
    List<TraceRecord> clean = trace.clean.subList(0, prefix);

    RunState expected = fold(clean);
    RunState noisy = fold(withNoise(clean, trace.late, random));

    assertThat(withoutCounters(noisy)).isEqualTo(withoutCounters(expected));
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
      if (record.event() instanceof dev.baton.protocol.trace.TraceEvent.RunnerAssigned) {
        RunState state = fold.state();
        assertThat(state.branches().values()).allMatch(branch -> branch.uncommitted().isEmpty());
        assertThat(state.steps().values())
            .noneMatch(step -> step.status() == StepState.Status.RUNNING);
      }
    }
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

  private static RunState withoutCounters(RunState state) {
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
            h.error());
    return state.withHead(head);
  }
}
