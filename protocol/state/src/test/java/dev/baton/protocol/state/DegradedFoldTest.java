/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.testkit.TraceGenerator;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeTry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The effect of a damaged checkpoint, and the search for the state to continue from. */
class DegradedFoldTest {
  private static final String RUN = TraceGenerator.RUN;

  private final List<TraceRecord> log = new ArrayList<>();
  private int epoch;
  private long control;
  private long runner;

  /** All tries of a property share one instance of this class. */
  @BeforeTry
  void beginWithAnEmptyLog() {
    log.clear();
    epoch = 0;
    control = 0;
    runner = 0;
  }

  @Test
  void shouldContinueBeforeTheStepWhoseCheckpointIsDamaged() {
    begin();
    done("a", "1", "b");
    String last = started("b");
    done("b", "2", "c");
    assigned("runner_exited");

    assertThat(found(Set.of("2"))).isEqualTo(new UndamagedStateFinder.Point(last));
    runner(degraded("2", last));

    RunState state = fold(log);
    assertThat(state.branch("").next()).containsExactly("b");
    assertThat(state.branch("").cut()).isEqualTo(cut("1"));
    assertThat(step(state, "a").status()).isEqualTo(StepState.Status.COMPLETED);
    assertThat(step(state, "b").status()).isEqualTo(StepState.Status.INTERRUPTED);
    assertThat(state.head().epoch()).isEqualTo(2);
    assertThat(state.head().degraded()).containsExactly(damaged("2"));
    assertThat(state.head().status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void shouldStartAgainWithoutAnyCheckpoint() {
    begin();
    done("a", "1", "b");
    done("b", "2", "c");
    assigned("runner_exited");

    assertThat(found(Set.of("1", "2")).after()).isNull();
    runner(degraded("2", null));

    RunState state = fold(log);
    assertThat(state.steps()).isEmpty();
    assertThat(state.branches()).isEmpty();
    assertThat(state.created()).isNotNull();
    assertThat(state.head().completed()).isZero();
  }

  @Test
  void shouldPassOverDamagedCheckpointsInsideAStepOneByOne() {
    begin();
    done("a", "1", "b");
    String before = started("b");
    String older = saved("b", 1, "2");
    saved("b", 1, "3");
    assigned("runner_exited");

    assertThat(fold(log).resumePoint("")).contains(cut("3"));
    assertThat(found(Set.of("3")).after()).isEqualTo(older);
    assertThat(found(Set.of("2")).after()).isEqualTo(log.getLast().id().toString());
    assertThat(found(Set.of("2", "3")).after()).isEqualTo(before);

    runner(degraded("3", older));
    assertThat(fold(log).resumePoint("")).contains(cut("2"));
  }

  @Test
  void shouldStartTheFirstStepOnAnOlderCheckpointInsideIt() {
    begin();
    started("a");
    String older = saved("a", 1, "1");
    saved("a", 1, "2");
    assigned("runner_exited");

    assertThat(found(Set.of("2")).after()).isEqualTo(older);
    assertThat(found(Set.of("1", "2")).after()).isNull();
  }

  @Test
  void shouldKeepAResumePointOnlyWhileItsAttemptCanBeContinued() {
    begin();
    done("a", "1", "b");
    started("b");
    saved("b", 1, "2");
    assigned("runner_exited");
    runner(new TraceEvent.StepStarted("b", "shell", 1, 1, "2"));
    assertThat(fold(log).resumePoint("")).contains(cut("2"));

    int mark = log.size();
    runner(new TraceEvent.StepStarted("b", "shell", 1, 1, null));
    assertThat(fold(log).resumePoint("")).as("on the files before the step").isEmpty();

    back(mark);
    runner(new TraceEvent.StepRetried("b", "shell", 1, 1, Failure.of("exit_code", "1"), 1L, null));
    assertThat(fold(log).resumePoint("")).as("a failed attempt").isEmpty();

    back(mark);
    runner(
        new TraceEvent.StepFailed(
            "b", "shell", 1, 1, Failure.of("exit_code", "1"), null, null, null, false));
    assertThat(fold(log).resumePoint("")).as("failed for good").contains(cut("2"));

    back(mark);
    done("b", "3", "c");
    saved("b", 1, "4");
    assertThat(fold(log).resumePoint("")).as("completed").isEmpty();
  }

  /** The step before has no cut, so that it runs again, on files without the step's changes. */
  @Test
  void shouldForgetAResumePointThatContainsStepsWithoutACut() {
    begin();
    done("a", "1", "b");
    runner(
        new TraceEvent.StepCompleted(
            "b", "shell", 1, 1, null, null, true, List.of("c"), 0, null, null, 1, null, null));
    started("c");
    saved("c", 1, "2");
    assertThat(fold(log).resumePoint("")).contains(cut("2"));
    assigned("runner_exited");

    assertThat(fold(log).resumePoint("")).isEmpty();
    assertThat(fold(log).branch("").next()).containsExactly("b");
  }

  private void back(int mark) {
    while (log.size() > mark) {
      log.removeLast();
      runner--;
    }
  }

  private String saved(String step, int attempt, String checkpoint) {
    return runner(
        new TraceEvent.CheckpointSaved(
            checkpoint,
            null,
            "manual",
            cut(checkpoint),
            null,
            null,
            new StepAttempt(step, 1, attempt),
            null));
  }

  /** A step without changed files repeats the checkpoint of the step before. */
  @Test
  void shouldSkipAllStepsThatShareTheCheckpoint() {
    begin();
    done("a", "1", "b");
    String last = started("b");
    done("b", "2", "c");
    done("c", "2", "d");

    assertThat(found(Set.of("2")).after()).isEqualTo(last);
  }

  @Test
  void shouldNotContinueInAPastThatAResumeHasDiscarded() {
    begin();
    String first = done("a", "1", "b");
    String second = done("b", "2", "c");
    done("c", "3", "d");
    runner(new TraceEvent.RunPaused("requested"));
    control(
        new TraceEvent.ResumeRequested(
            "x", "b", first, Map.of(), List.of(), null, List.of(), null));
    assigned("resume");
    done("b", "4", "c");

    // Right before the resume, C had completed; the person has discarded that.
    assertThat(found(Set.of("1", "4")).after()).isNull();
    assertThat(found(Set.of("4")).after()).isEqualTo(previous(log.getLast()));
    assertThat(second).isNotNull();
  }

  @Test
  void shouldKeepTheCorrectionsOfLaterResumes() {
    begin();
    done("a", "1", "b");
    String last = started("b");
    done("b", "2", "c");
    runner(new TraceEvent.RunPaused("requested"));
    control(
        new TraceEvent.ResumeRequested(
            "x",
            null,
            null,
            Map.of("a", new Output.Inline(IntNode.valueOf(7))),
            List.of("c"),
            null,
            List.of(),
            null));
    assigned("resume");
    runner(degraded("2", last));

    RunState state = fold(log);
    assertThat(step(state, "a").output()).isEqualTo(new Output.Inline(IntNode.valueOf(7)));
    assertThat(step(state, "c").status()).isEqualTo(StepState.Status.SKIPPING);
  }

  @Test
  void shouldKeepAnAnswerAboutTheRestoredFilesAndRequestTheOthersAgain() {
    begin();
    done("a", "1", "p");
    asked("p/x/review", "first");
    asked("p/y/review", "second");
    String last = done("p/z/early", null, "late");
    done("p/z/late", "2", "end");
    asked("p/z/end", "third");
    answered("p/x/review", "first");
    answered("p/z/end", "third");
    assigned("runner_exited");
    runner(degraded("2", last));
    answered("p/y/review", "second");

    RunState state = fold(log);
    assertThat(state.approvals().keySet()).containsExactly("first");
    assertThat(state.approvals().values()).allMatch(asked -> asked.answer() != null);
    assertThat(state.head().waiting()).isEmpty();
    assertThat(step(state, "p/y/review").status()).isEqualTo(StepState.Status.WAITING);
  }

  @Test
  void shouldGoBackTwice() {
    begin();
    String first = started("a");
    done("a", "1", "b");
    String second = started("b");
    done("b", "2", "c");
    assigned("runner_exited");
    runner(degraded("2", second));
    done("b", "3", "c");
    assigned("runner_exited");

    assertThat(found(Set.of("1", "3")).after()).isNull();
    runner(degraded("3", first));

    RunState state = fold(log);
    assertThat(step(state, "a").status()).isEqualTo(StepState.Status.INTERRUPTED);
    assertThat(state.steps()).containsOnlyKeys("a");
    assertThat(state.head().degraded()).containsExactly(damaged("2"), damaged("3"));
  }

  @Test
  void shouldIgnoreAFencedRunner() {
    begin();
    String first = started("a");
    done("a", "1", "b");
    assigned("runner_exited");
    RunState before = fold(log);
    log.add(record(Lane.runner(1), 9, degraded("1", first)));

    RunState after = fold(log);
    assertThat(after.steps()).isEqualTo(before.steps());
    assertThat(after.head().degraded()).isEmpty();
    assertThat(after.head().fenced()).isEqualTo(1);
  }

  @Test
  void shouldFindNothingWhereTheInitialStateNeedsTheCheckpoint() {
    begin();
    RunState parent =
        fold(log.subList(0, 2)).apply(record(Lane.runner(1), 1, completed("a", "1", "b")));
    RunState fork = ForkStateBuilder.of(parent, null, null).state(RUN, Map.of("1", "1"));
    UndamagedStateFinder finder =
        new UndamagedStateFinder(fork, new StateFold(fork), Set.of(), "1"::equals);
    log.forEach(finder::accept);

    assertThat(finder.found()).isEmpty();
  }

  @Test
  void shouldRefuseToReturnToAStateThatItDidNotKeep() {
    begin();
    String first = started("a");
    done("a", "1", "b");
    runner(degraded("1", first));
    StateFold fold = new StateFold(RunState.empty(RUN));

    assertThatThrownBy(() -> log.forEach(fold::accept)).hasMessageContaining(first);
  }

  /**
   * Damages the newest cut of a random trace at a random moment, with fenced and doubled events.
   */
  @Property(tries = 1000)
  void shouldGiveTheStateOfThePrefixWhateverCameInBetween(@ForAll long seed, @ForAll long noise) {
    TraceGenerator trace = new TraceGenerator(seed);
    Random random = new Random(noise);
    List<TraceRecord> past =
        trace.clean.subList(0, 2 + random.nextInt(trace.clean.size() - 1)).stream()
            .filter(record -> !isEnd(record.event()))
            .toList();
    int point = 1 + random.nextInt(past.size() - 1);
    List<TraceRecord> clean = new ArrayList<>(past);
    StateFold last = new StateFold(RunState.empty(RUN));
    past.forEach(last::accept);
    RunHead head = last.state().head();
    clean.add(
        record(
            Lane.CONTROL,
            head.controlSeq() + 1,
            new TraceEvent.RunnerAssigned(head.epoch() + 1, "r", "runner_exited")));
    clean.add(
        record(Lane.runner(head.epoch() + 1), 1, degraded("x", past.get(point).id().toString())));

    List<TraceRecord> noisy = new ArrayList<>();
    for (TraceRecord record : clean) {
      noisy.add(record);
      if (random.nextInt(4) == 0) {
        noisy.add(noisy.get(random.nextInt(noisy.size())));
      }
    }
    StateFold prefix = new StateFold(RunState.empty(RUN));
    past.subList(0, point + 1).forEach(prefix::accept);
    prefix.settle();
    RunState expected = prefix.state();
    boolean corrected =
        past.stream().anyMatch(record -> record.event() instanceof TraceEvent.ResumeRequested);

    RunState state = fold(noisy);

    assertThat(state.branches().keySet()).isEqualTo(expected.branches().keySet());
    if (!corrected) {
      assertThat(state.steps()).isEqualTo(expected.steps());
      assertThat(state.branches()).isEqualTo(expected.branches());
    }
    assertThat(state.plans()).isEqualTo(expected.plans());
    assertThat(state.sessions()).isEqualTo(expected.sessions());
    assertThat(state.reroutes()).isEqualTo(expected.reroutes());
    assertThat(state.head().waiting()).isEmpty();
    assertThat(Json.read(Json.bytes(state), RunState.class)).isEqualTo(state);
  }

  private static boolean isEnd(TraceEvent event) {
    return event instanceof TraceEvent.RunCompleted
        || event instanceof TraceEvent.RunFailed
        || event instanceof TraceEvent.RunCancelled;
  }

  private UndamagedStateFinder.Point found(Set<String> damaged) {
    RunState empty = RunState.empty(RUN);
    Set<String> marks = marks(log);
    UndamagedStateFinder finder =
        new UndamagedStateFinder(empty, new StateFold(empty, marks), marks, damaged::contains);
    log.forEach(finder::accept);
    return finder.found().orElseThrow();
  }

  private static Set<String> marks(List<TraceRecord> records) {
    return RestoreMarkFinder.find(records.stream().map(TraceRecord::event).toList());
  }

  private static RunState fold(List<TraceRecord> records) {
    StateFold fold = new StateFold(RunState.empty(RUN), marks(records));
    records.forEach(fold::accept);
    return fold.state();
  }

  private static StepState step(RunState state, String path) {
    StepState step = state.steps().get(path);
    if (step == null) {
      throw new AssertionError("no step " + path + " in " + state.steps().keySet());
    }
    return step;
  }

  private String previous(TraceRecord record) {
    return log.get(log.indexOf(record) - 1).id().toString();
  }

  private void begin() {
    control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            "w",
            Digest.of(new byte[0]),
            null,
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.EPOCH,
            null,
            0,
            null));
    assigned("start");
  }

  private void assigned(String reason) {
    epoch++;
    runner = 0;
    control(new TraceEvent.RunnerAssigned(epoch, null, reason));
  }

  private String started(String step) {
    return runner(new TraceEvent.StepStarted(step, "shell", 1, 1));
  }

  private String done(String step, @Nullable String checkpoint, String next) {
    return runner(completed(step, checkpoint, next));
  }

  private static TraceEvent completed(String step, @Nullable String checkpoint, String next) {
    return new TraceEvent.StepCompleted(
        step,
        "shell",
        1,
        1,
        new Output.Inline(IntNode.valueOf(1)),
        checkpoint == null ? null : cut(checkpoint),
        false,
        List.of(next),
        0,
        null,
        null,
        1,
        null,
        null);
  }

  private void asked(String step, String approval) {
    runner(new TraceEvent.ApprovalRequested(step, approval, "Go?", null, null, null, null, null));
  }

  private void answered(String step, String approval) {
    control(new TraceEvent.ApprovalAnswered(step, approval, BooleanNode.TRUE, "x", null, null));
  }

  private static Cut cut(String checkpoint) {
    return new Cut(
        Digest.of(checkpoint.getBytes(StandardCharsets.UTF_8)),
        "baton-tree-2",
        1,
        1,
        1,
        checkpoint);
  }

  private static DamagedCheckpoint damaged(String checkpoint) {
    return new DamagedCheckpoint("", checkpoint, cut(checkpoint).digest(), "gone");
  }

  private static TraceEvent.RunDegraded degraded(String checkpoint, @Nullable String after) {
    return new TraceEvent.RunDegraded(List.of(damaged(checkpoint)), after);
  }

  private void control(TraceEvent event) {
    log.add(record(Lane.CONTROL, ++control, event));
  }

  private String runner(TraceEvent event) {
    log.add(record(Lane.runner(epoch), ++runner, event));
    return log.getLast().id().toString();
  }

  private static TraceRecord record(Lane lane, long seq, TraceEvent event) {
    return new TraceRecord(
        new EventId(RUN, lane, seq), URI.create("/test"), Instant.ofEpochSecond(seq), event);
  }
}
