/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.testkit.TraceGenerator;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.StepChange;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeTry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The effect of a pause, and of a resume with corrections. */
class ResumeFoldTest {
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

  private RunState state() {
    StateFold fold = fold();
    log.forEach(fold::accept);
    return fold.state();
  }

  private StateFold fold() {
    return new StateFold(
        RunState.empty(RUN), RestoreMarkFinder.find(log.stream().map(TraceRecord::event).toList()));
  }

  private ResumeStateFinder.Found point(String step) {
    ResumeStateFinder point = new ResumeStateFinder(RunState.empty(RUN), fold(), step);
    log.forEach(point::accept);
    return point.found().orElseThrow();
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

  /** Runs A, B twice, and C; then D fails. */
  private void fail() {
    begin();
    done("a", 1, 1, "b");
    done("b", 1, 2, "b");
    done("b", 2, 3, "c");
    done("c", 1, 4, "d");
    failed("d");
  }

  private void failed(String step) {
    Failure error = Failure.of("exit_code", "1");
    runner(new TraceEvent.StepFailed(step, "shell", 1, 1, error, null, null, null, false));
    runner(new TraceEvent.RunFailed(step, error));
  }

  private void assigned(String reason) {
    epoch++;
    runner = 0;
    control(new TraceEvent.RunnerAssigned(epoch, null, reason));
  }

  private void control(TraceEvent event) {
    log.add(record(Lane.CONTROL, ++control, event));
  }

  private void runner(TraceEvent event) {
    log.add(record(Lane.runner(epoch), ++runner, event));
  }

  private static TraceRecord record(Lane lane, long seq, TraceEvent event) {
    return new TraceRecord(
        new EventId(RUN, lane, seq), URI.create("/test"), Instant.ofEpochSecond(seq), event);
  }

  private void done(String step, int visit, int output, String next) {
    done(step, visit, output, next, null, null);
  }

  private void done(
      String step,
      int visit,
      int output,
      String next,
      @Nullable Instant startedAt,
      @Nullable Integer milestone) {
    runner(
        new TraceEvent.StepCompleted(
            step,
            "shell",
            visit,
            1,
            value(output),
            cut(step + visit),
            false,
            List.of(next),
            0,
            null,
            startedAt,
            1,
            milestone,
            null));
  }

  private static StepState step(RunState state, String step) {
    return Objects.requireNonNull(state.steps().get(step));
  }

  private static Output value(int value) {
    return new Output.Inline(IntNode.valueOf(value));
  }

  private static Cut cut(String name) {
    return new Cut(Digest.of(name.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, null);
  }

  private void resume(@Nullable String from, Map<String, Output> set, String... skip) {
    String after = from == null ? null : point(from).after();
    control(
        new TraceEvent.ResumeRequested(
            "me", from, after, set, List.of(skip), null, List.of(), null));
    assigned("resume");
  }

  @Test
  void shouldPauseAtOnceWhereNoRunnerHasTheRun() {
    begin();
    runner(new TraceEvent.StepStarted("a", "wait", 1, 1));
    assigned("runner_exited");
    control(new TraceEvent.PauseRequested("me", false, true, null));

    assertThat(state().head().status()).isEqualTo(RunStatus.PAUSED);
    assertThat(step(state(), "a").status()).isEqualTo(StepState.Status.INTERRUPTED);
    assigned("resume");
    assertThat(state().head().status()).isEqualTo(RunStatus.RESUMING);
    assertThat(state().head().resumed()).isTrue();
  }

  @Test
  void shouldKeepAQuestionThatIsAnsweredWhileTheRunIsPaused() {
    begin();
    runner(new TraceEvent.ApprovalRequested("ok", "q", "go?", null, null, null, null, null));
    runner(new TraceEvent.RunPaused(null));
    assertThat(state().head().waiting()).containsExactly("ok");
    control(new TraceEvent.ApprovalAnswered("ok", "q", TextNode.valueOf("yes"), "me", null, null));
    assigned("resume");

    assertThat(Objects.requireNonNull(state().approvals().get("q")).answer())
        .isEqualTo(TextNode.valueOf("yes"));
    assertThat(state().head().waiting()).isEmpty();
  }

  @Test
  void shouldTellCompletedStepsAgainAndChangeNothing() {
    fail();
    assigned("resume");
    RunState before = state();
    runner(TraceEvent.StepSkipped.replayed("a", 1));
    runner(TraceEvent.StepSkipped.replayed("b", 2));

    RunState after = state();
    assertThat(after.steps()).isEqualTo(before.steps());
    assertThat(after.branches()).isEqualTo(before.branches());
    assertThat(after.head().skipped()).isZero();
    assertThat(after.head().completed()).isEqualTo(before.head().completed());
  }

  @Test
  void shouldGoBackToBeforeAStepAndForgetWhatCameAfter() {
    fail();

    assertThat(point("c").after()).isEqualTo(RUN + "/1/3");
    resume("c", Map.of());

    RunState state = state();
    assertThat(state.steps()).containsOnlyKeys("a", "b");
    assertThat(step(state, "b").visit()).isEqualTo(2);
    assertThat(state.branch("").next()).containsExactly("c");
    assertThat(state.branch("").cut()).isEqualTo(cut("b2"));
    assertThat(state.head().gap()).isNull();
    assertThat(state.head().epoch()).isEqualTo(2);
  }

  @Test
  void shouldGoBackToTheLastVisitOfAStepThatCameByAgain() {
    fail();
    resume("b", Map.of());

    RunState state = state();
    assertThat(step(state, "b").output()).isEqualTo(value(2));
    assertThat(step(state, "b").visit()).isEqualTo(1);
    assertThat(state.branch("").cut()).isEqualTo(cut("b1"));
  }

  @Test
  void shouldGoBackToTheBeginning() {
    fail();

    assertThat(point("a").after()).isNull();
    resume("a", Map.of());

    assertThat(state().steps()).isEmpty();
    assertThat(state().branch("")).isEqualTo(BranchState.UNBEGUN);
    assertThat(state().created()).isNotNull();
  }

  @Test
  void shouldCorrectTheLinesOutputByTheLogsOrderAndNoClocks() {
    begin();
    done("a", 1, 1, "b", Instant.ofEpochSecond(1_000), null);
    // Time from another runner's clock.
    done("b", 1, 2, "d", Instant.ofEpochSecond(10), null);
    failed("d");

    resume(null, Map.of("a", value(10)));
    assertThat(state().branch("").last()).isEqualTo(new BranchState.Last("b", value(2)));
    runner(new TraceEvent.RunFailed("d", Failure.of("exit_code", "1")));
    resume(null, Map.of("b", value(20)));
    assertThat(state().branch("").last()).isEqualTo(new BranchState.Last("b", value(20)));
  }

  @Test
  void shouldForgetMilestonesOfWhatItGoesBackBefore() {
    begin();
    done("a", 1, 1, "b", null, 1);
    done("b", 1, 2, "d", null, 2);
    failed("d");

    resume("b", Map.of());

    assertThat(state().milestones()).isEqualTo(Map.of("a", 1));
  }

  @Test
  void shouldKeepCorrectionsWhenItGoesBackOnceMore() {
    fail();
    resume("c", Map.of("b", value(30)));
    done("c", 1, 40, "d");
    failed("d");
    resume("c", Map.of());
    done("c", 1, 41, "d");
    failed("d");
    resume("d", Map.of("c", value(42)), "d");

    RunState state = state();
    assertThat(step(state, "b").output()).isEqualTo(value(30));
    assertThat(step(state, "c").output()).isEqualTo(value(42));
    assertThat(step(state, "d").status()).isEqualTo(StepState.Status.SKIPPING);
    assertThat(state.branch("").next()).containsExactly("d");
    runner(new TraceEvent.StepSkipped("d", 1, "asked for at the resume", List.of("e")));
    assertThat(step(state(), "d").status()).isEqualTo(StepState.Status.SKIPPED);
    assertThat(state().branch("").next()).containsExactly("e");
  }

  @Test
  void shouldBeginAnewAStepThatWaitedOrHadBranches() {
    begin();
    done("a", 1, 1, "p");
    runner(new TraceEvent.StepStarted("p", "parallel", 1, 1));
    done("p/x/i", 1, 2, "p/x/j");
    runner(new TraceEvent.ApprovalRequested("p/y/ok", "q", "go?", null, null, null, null, null));
    runner(new TraceEvent.RunPaused(null));
    control(
        new TraceEvent.ResumeRequested(
            null, null, null, Map.of("a", value(5)), List.of(), null, List.of(), null));
    assigned("resume");
    runner(new TraceEvent.RunPaused(null));

    resume("p", Map.of());

    RunState state = state();
    assertThat(step(state, "a").output()).isEqualTo(value(5));
    assertThat(state.approvals()).isEmpty();
    assertThat(state.branches()).containsOnlyKeys("");
    assertThat(state.head().waiting()).isEmpty();
    assertThat(step(state, "p").status()).isEqualTo(StepState.Status.INTERRUPTED);
  }

  /** Between the two events a reader must not see the run as ended. */
  @Test
  void shouldBeOpenAgainAsSoonAsAResumeIsRequestedAndDropFencedEvents() {
    fail();
    control(
        new TraceEvent.ResumeRequested(
            null, null, null, Map.of("a", value(5)), List.of(), null, List.of(), null));
    assertThat(state().head().isEnded()).isFalse();
    done("d", 1, 7, "e");
    assertThat(state().branch("").next()).containsExactly("d");
    assertThat(state().head().fenced()).isEqualTo(1);
    assigned("resume");
    assertThat(state().head().status()).isEqualTo(RunStatus.RESUMING);
  }

  @Test
  void shouldTakeNoCorrectionsOfARunThatGoesOnOrHasCompleted() {
    begin();
    done("a", 1, 1, "b");
    control(
        new TraceEvent.ResumeRequested(
            null, null, null, Map.of("a", value(5)), List.of(), null, List.of(), null));
    assertThat(step(state(), "a").output()).isEqualTo(value(1));
    runner(new TraceEvent.RunCompleted(null));
    control(
        new TraceEvent.ResumeRequested(
            null, "a", null, Map.of(), List.of(), null, List.of(), null));
    assertThat(state().steps()).containsKey("a");
  }

  /** Covers retries, branches, approvals, lost runners, pauses, and steps without a cut. */
  @Property
  void shouldBeAgainWhatItWasWhereverItGoesBackTo(@ForAll long seed, @ForAll long choice) {
    List<TraceRecord> all = new TraceGenerator(seed).clean;
    log.addAll(all.subList(0, all.size() - 1));
    String step = "s" + Math.floorMod(choice, 6);
    ResumeStateFinder point = new ResumeStateFinder(RunState.empty(RUN), fold(), step);
    log.forEach(point::accept);
    if (point.found().isEmpty()) {
      return;
    }
    ResumeStateFinder.Found found = point.found().get();
    RunHead head = state().head();
    epoch = head.epoch();
    control = head.controlSeq();
    runner = head.runnerSeq();
    runner(new TraceEvent.RunPaused(null));
    control(
        new TraceEvent.ResumeRequested(
            null, step, found.after(), Map.of(), List.of(), null, List.of(), null));
    assigned("resume");

    StateFold then = new StateFold(found.state());
    then.settle();
    assertThat(outside(step, state())).isEqualTo(outside(step, then.state()));
    assertThat(state().branches().keySet()).noneMatch(branch -> branch.startsWith(step + "/"));
    assertThat(state().head().gap()).isNull();
    assertThat(state().head().uncommitted()).isEmpty();
  }

  private static List<Object> outside(String step, RunState state) {
    Predicate<String> within = path -> path.equals(step) || path.startsWith(step + "/");
    Map<String, StepState> steps = new TreeMap<>(state.steps());
    steps.keySet().removeIf(within);
    Map<String, BranchState> branches = new TreeMap<>(state.branches());
    branches.keySet().removeIf(within);
    // A restored state is retried, so its failures are cleared.
    branches.replaceAll((path, branch) -> branch.withFailed(false));
    return List.of(
        steps,
        branches,
        state.approvals().values().stream().filter(asked -> !within.test(asked.step())).toList(),
        state.reroutes(),
        state.sessions(),
        state.plans());
  }

  @Test
  void shouldSayWhatItCannotGoBackTo() {
    fail();
    RunState now = state();
    TraceEvent back =
        new TraceEvent.ResumeRequested(
            null, "c", RUN + "/1/3", Map.of(), List.of(), null, List.of(), null);

    assertThatThrownBy(() -> now.apply(record(Lane.CONTROL, control + 1, back)))
        .hasMessageContaining(RUN + "/1/3");
  }

  @Test
  void shouldGoOnByAnotherDefinitionOnlyWhereWhatIsDoneIsTheSame() {
    Workflow old = workflow("{id: a, shell: one}", "{id: b, shell: two}", "{id: c, shell: three}");
    Workflow fits =
        workflow(
            "{id: a, shell: one, title: First, retry: {max: 3}}",
            "{id: b, shell: other}",
            "{id: d, shell: four}");
    Workflow doesNot = workflow("{id: a, shell: ein}", "{id: c, shell: three}");
    begin();
    done("a", 1, 1, "b");
    failed("b");
    TraceEvent.ResumeRequested asked =
        new TraceEvent.ResumeRequested(
            null, null, null, Map.of(), List.of(), null, List.of(), null);

    assertThat(StepChange.between(old, fits))
        .extracting(StepChange::describe)
        .containsExactly(
            "step 'a' has a different title, retry, timeout, next, gate or resume",
            "step 'b' has other inputs",
            "step 'c' is gone",
            "step 'd' is new");
    assertThat(ResumeRequestChecker.problems(asked, state(), old, fits)).isEmpty();
    assertThat(ResumeRequestChecker.problems(asked, state(), old, doesNot))
        .anyMatch(problem -> problem.contains("resumes with step 'b', which is not in the"))
        .anyMatch(problem -> problem.contains("'a' has completed with other inputs"));
  }

  @Test
  void shouldRefuseCorrectionsOfWhatIsNotThere() {
    fail();
    Workflow workflow = workflow("{id: a, shell: one}");
    TraceEvent.ResumeRequested asked =
        new TraceEvent.ResumeRequested(
            null,
            null,
            null,
            Map.of("d", value(1), "c", value(2)),
            List.of("a", "d"),
            null,
            List.of(),
            null);

    assertThat(ResumeRequestChecker.problems(asked, state(), workflow, workflow))
        .containsExactly(
            "set: step 'd' has not completed: only the output of a completed step can be corrected",
            "skip: step 'a' is not the run's next step; the next step is 'd'");
  }

  private static Workflow workflow(String... steps) {
    String text = "name: w\nsteps:\n  - " + String.join("\n  - ", steps) + "\n";
    return ((WorkflowParseResult.Valid)
            WorkflowParser.parse(text.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML))
        .workflow();
  }
}
