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
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StateFoldTest {
  private static final String RUN = "01jd0000000000000000000000";

  private RunState state = RunState.empty(RUN);
  private long control;
  private long runner;
  private int epoch;
  private Instant at = Instant.EPOCH;

  @Test
  void shouldWalkThroughTheStatuses() {
    assertThat(status()).isEqualTo(RunStatus.PENDING);
    created("managed");
    assertThat(status()).isEqualTo(RunStatus.PENDING);
    assigned("start");
    assertThat(status()).isEqualTo(RunStatus.STARTING);
    runner(started());
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
    runner(waiting("ok"));
    assertThat(status()).isEqualTo(RunStatus.WAITING);
    assigned("runner_exited");
    assertThat(status()).isEqualTo(RunStatus.RESUMING);
    runner(started());
    assertThat(status()).as("the approval still waits").isEqualTo(RunStatus.WAITING);
    runner(new TraceEvent.RunParked(null, null, List.of(RUN + "-ok-1"), Map.of()));
    assertThat(status()).as("it waits without a runner").isEqualTo(RunStatus.WAITING);
    answer(BooleanNode.TRUE, "me");
    assertThat(status()).as("until it is assigned to a runner again").isEqualTo(RunStatus.WAITING);
    assigned(TraceEvent.RunnerAssigned.UNPARKED);
    assertThat(status()).isEqualTo(RunStatus.RESUMING);
    runner(started());
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
    control(new TraceEvent.PauseRequested(null, false, false, null));
    assertThat(status()).isEqualTo(RunStatus.PAUSING);
    runner(new TraceEvent.RunPaused(null));
    assertThat(status()).isEqualTo(RunStatus.PAUSED);
    assigned("resume");
    runner(started());
    runner(new TraceEvent.RunCompleted(null));
    assertThat(status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  void shouldTakeAnExternalRunsFirstEpochAsAssigned() {
    created("external");
    epoch = 1;
    runner(done("a", List.of(), null, false));

    assertThat(state.head().completed()).isEqualTo(1);
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void shouldDropAndCountWhatAFencedRunnerWrites() {
    begin();
    assigned("heartbeats_missed");
    apply(Lane.runner(1), 2, done("a", List.of("b"), null, false));

    assertThat(state.steps()).isEmpty();
    assertThat(state.head().fenced()).isEqualTo(1);
  }

  @Test
  void shouldShowAGapAndGoOn() {
    begin();
    apply(Lane.runner(1), 5, done("a", List.of("b"), null, false));

    assertThat(state.head().gap()).isEqualTo(RUN + "/1/5 follows seq 1");
    assertThat(state.branch("").next()).containsExactly("b");
  }

  @Test
  void shouldNoteAGapInTheControlLaneUntilAResume() {
    begin();
    long last = state.head().controlSeq();
    apply(Lane.CONTROL, last + 3, new TraceEvent.PauseRequested(null, false, false, null));

    assertThat(state.head().controlGap()).isEqualTo(new ControlGap(last + 1, last + 3));
    assertThat(status()).as("the event counts").isEqualTo(RunStatus.PAUSING);
    runner(new TraceEvent.RunPaused(null));
    apply(
        Lane.CONTROL,
        last + 4,
        new TraceEvent.RunnerAssigned(2, null, TraceEvent.RunnerAssigned.RESUME));
    assertThat(state.head().controlGap()).isNull();
    assertThat(state.head().gap())
        .as("for good")
        .isEqualTo(RUN + "/c/" + (last + 3) + " follows seq " + last);
    apply(
        Lane.CONTROL,
        last + 9,
        new TraceEvent.RunnerAssigned(3, null, TraceEvent.RunnerAssigned.RESUME));
    assertThat(state.head().controlGap())
        .as("a resume decides about earlier gaps only")
        .isEqualTo(new ControlGap(last + 5, last + 9));
  }

  @Test
  void shouldTakeBackStepsWithoutACutWhenTheirEpochEnds() {
    begin();
    runner(done("a", List.of("b"), cut("a"), false));
    runner(done("b", List.of("c"), null, true));
    runner(done("c", List.of("d"), null, false));
    assertThat(state.branch("").uncommitted()).containsExactly("b", "c");
    assigned("runner_exited");

    assertThat(state.branch("").next()).containsExactly("b");
    assertThat(state.branch("").cut()).isEqualTo(cut("a"));
    assertThat(state.steps()).containsOnlyKeys("a");
  }

  @Test
  void shouldGiveBackTheOutputOfTheVisitBeforeTheOneTakenBack() {
    begin();
    for (int visit = 1; visit <= 2; visit++) {
      runner(done("a", visit, visit, List.of("lap"), cut("a" + visit), false));
      runner(done("lap", visit, visit, List.of("a"), null, false));
    }
    StepState lap = state.steps().get("lap");
    runner(done("a", 3, 3, List.of("lap"), null, true));
    runner(new TraceEvent.StepStarted("lap", "transform", 3, 1));
    runner(
        new TraceEvent.AgentSessionCreated(
            "lap", "x", "lost", null, null, null, false, null, null, null));
    runner(new TraceEvent.PlanUpdated("lap", BooleanNode.TRUE));
    runner(new TraceEvent.StepRerouted("lap", "a", 1));
    runner(done("lap", 3, 3, List.of("a"), null, false));
    assigned("runner_exited");

    assertThat(state.steps().get("lap")).isEqualTo(lap);
    assertThat(state.steps().get("a"))
        .returns(2, StepState::completions)
        .returns(cut("a2"), StepState::cut);
    assertThat(state.sessions()).isEmpty();
    assertThat(state.plans()).isEmpty();
    assertThat(state.reroutes()).isEmpty();
    assertThat(state.branch("").next()).containsExactly("a");
  }

  @Test
  void shouldAskAgainWhatWasAskedOnLostFiles() {
    begin();
    runner(waiting("before"));
    control(
        new TraceEvent.ApprovalAnswered(
            "before", RUN + "-before-1", BooleanNode.TRUE, "me", null, null));
    runner(done("before", List.of("a"), null, false));
    runner(done("a", List.of("answered"), null, true));
    runner(waiting("answered"));
    control(
        new TraceEvent.ApprovalAnswered(
            "answered", RUN + "-answered-1", BooleanNode.TRUE, "me", null, null));
    runner(done("answered", List.of("fan"), null, false));
    runner(waiting("fan/0/open"));
    assertThat(state.head().waiting()).containsExactly("fan/0/open");
    assigned("runner_exited");

    assertThat(state.approvals()).containsOnlyKeys(RUN + "-before-1");
    assertThat(state.head().waiting()).isEmpty();
    assertThat(state.steps()).containsOnlyKeys("before");
  }

  @Test
  void shouldMergeAgainWhatTheBranchesOfAParallelHaveDone() {
    begin();
    runner(new TraceEvent.StepStarted("fan", "parallel", 1, 1));
    runner(done("fan/0/x", List.of(), cut("x"), false));
    BranchState branch = state.branch("fan/0");
    runner(done("fan", List.of("end"), null, true));
    assertThat(state.branches()).containsOnlyKeys("");
    assigned("runner_exited");

    assertThat(state.branch("").next()).containsExactly("fan");
    assertThat(state.branch("fan/0")).isEqualTo(branch);
    assertThat(state.steps().get("fan/0/x")).returns(StepState.Status.COMPLETED, StepState::status);
  }

  @Test
  void shouldKeepTheStateAsSmallAsBeforeWhileNothingIsUncommitted() {
    begin();
    runner(done("a", List.of("b"), cut("a"), false));
    String small = new String(Json.bytes(state), StandardCharsets.UTF_8);
    runner(done("b", List.of("c"), null, true));
    String large = new String(Json.bytes(state), StandardCharsets.UTF_8);
    runner(done("c", List.of("d"), cut("c"), false));

    assertThat(small).doesNotContain("undo");
    assertThat(large)
        .contains(
            "\"undo\":{\"touched\":[\"b\"],\"last\":{\"step\":\"a\",\"output\":{\"value\":1}}}");
    assertThat(state.branch("").undo()).isNull();
    assertThat(state.head().uncommitted()).isEmpty();
  }

  @Test
  void shouldTakeARunsBirthOnce() {
    begin();
    runner(done("a", List.of("b"), cut("a"), false));
    TraceEvent.RunCreated birth = state.created();
    created("external");

    assertThat(status()).isEqualTo(RunStatus.RUNNING);
    assertThat(state.head().epoch()).isEqualTo(1);
    assertThat(state.created()).isEqualTo(birth);
    assertThat(state.head().duplicates()).isEqualTo(1);
    assertThat(state.head().controlSeq()).isEqualTo(control);
    runner(done("b", List.of(), null, false));
    assertThat(state.steps()).containsKey("b");
  }

  @Test
  void shouldGoOnAfterAFailureThatIsForeseen() {
    begin();
    Failure error = Failure.of("exit_code", "1");
    Cut after = cut("a");
    runner(new TraceEvent.StepFailed("a", "shell", 1, 3, error, null, List.of("b"), after, false));

    StepState failed = step("a");
    assertThat(failed.hasEnded()).isTrue();
    assertThat(failed.completions()).isEqualTo(1);
    assertThat(failed.last()).isEqualTo(StepEnd.failure(error));
    assertThat(state.branch("").next()).containsExactly("b");
    assertThat(state.branch("").cut()).isEqualTo(after);
    assertThat(state.branch("").failed()).isFalse();
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void shouldRememberThatABranchHasFailedUntilTheRunIsTriedAgain() {
    begin();
    Failure error = Failure.of("exit_code", "1");
    runner(new TraceEvent.StepFailed("a", "shell", 1, 1, error, null, null, null, false));
    assigned("runner_exited");
    assertThat(state.branch("").failed()).isTrue();
    runner(new TraceEvent.RunFailed("a", error));

    assigned("resume");

    assertThat(state.branch("").failed()).isFalse();
    assertThat(status()).isEqualTo(RunStatus.RESUMING);
  }

  @Test
  void shouldWaitForAnApprovalThatWasRecordedUnderTheOldName() {
    begin();
    Class<? extends TraceEvent> type =
        EventTypeRegistry.recordOf("dev.baton.checkpoint_waiting").orElseThrow();
    byte[] recorded =
        "{\"step\":\"ok\",\"approval\":\"q\",\"prompt\":\"go?\"}".getBytes(StandardCharsets.UTF_8);
    runner(Json.read(recorded, type));

    assertThat(status()).isEqualTo(RunStatus.WAITING);
    assertThat(state.head().waiting()).containsExactly("ok");
  }

  @Test
  void shouldEndWhatAParallelDidNotWaitFor() {
    begin();
    runner(new TraceEvent.StepStarted("p", "parallel", 1, 1));
    runner(new TraceEvent.ApprovalRequested("p/x/ask", "q", "go?", null, null, null, null, null));
    runner(done("p/y/b", List.of(), null, false));
    assertThat(state.head().waiting()).containsExactly("p/x/ask");
    runner(done("p", List.of("p"), null, false));

    assertThat(step("p/x/ask").status()).isEqualTo(StepState.Status.SKIPPED);
    assertThat(step("p/x/ask").completions()).isEqualTo(1);
    assertThat(state.head().waiting()).isEmpty();
    assertThat(state.head().active()).isEmpty();
    assertThat(step("p/y/b").last()).isEqualTo(StepEnd.SUCCESS);

    runner(new TraceEvent.StepStarted("p", "parallel", 2, 1));
    assertThat(step("p/y/b").last()).isNull();
    assertThat(step("p/y/b").output()).isNull();
  }

  @Test
  void shouldGoOnWhereAGateSendsIt() {
    begin();
    runner(done("a", List.of("b"), null, false));
    runner(done("b", List.of(), null, false));
    runner(new TraceEvent.StepRerouted("a", "b", 2));

    assertThat(state.branch("").next()).containsExactly("b");
    assertThat(state.reroutes()).containsEntry("a", 2);
  }

  @Test
  void shouldKeepTheOutputOfTheVisitBeforeOneThatFails() {
    begin();
    at = Instant.ofEpochSecond(1);
    runner(done("a", 1, 7, List.of("a"), null, false));
    Output first = new Output.Inline(IntNode.valueOf(7));
    at = Instant.ofEpochSecond(2);
    Failure error = Failure.of("exit_code", "1");
    runner(new TraceEvent.StepRetried("a", "shell", 2, 1, error, 5, null));
    assertThat(state.steps().get("a")).extracting(StepState::startedAt).isNull();
    runner(new TraceEvent.StepStarted("a", "shell", 2, 2));
    runner(new TraceEvent.StepFailed("a", "shell", 2, 2, error, null, null, null, false));

    assertThat(state.steps().get("a"))
        .returns(first, StepState::output)
        .returns(at, StepState::startedAt)
        .returns(StepState.Status.FAILED, StepState::status);
  }

  @Test
  void shouldWaitInTheVisitThatAsks() {
    begin();
    runner(waiting("ok"));
    runner(done("ok", 1, 1, List.of("ok"), null, false));
    at = Instant.ofEpochSecond(9);
    runner(
        new TraceEvent.ApprovalRequested("ok", RUN + "-ok-2", "?", null, null, null, null, null));

    assertThat(state.steps().get("ok"))
        .returns(2, StepState::visit)
        .returns(1, StepState::completions)
        .returns(at, StepState::startedAt)
        .returns(StepState.Status.WAITING, StepState::status);
  }

  @Test
  void shouldCommitStepsWithoutACutByTheNextCut() {
    begin();
    runner(done("a", List.of("b"), null, true));
    runner(done("b", List.of("c"), cut("b"), false));
    assigned("runner_exited");

    assertThat(state.branch("").next()).containsExactly("c");
    assertThat(state.steps()).containsOnlyKeys("a", "b");
  }

  @Test
  void shouldKeepBranchesApartAndDropThemAtTheJoin() {
    begin();
    runner(new TraceEvent.StepStarted("fan", "parallel", 1, 1));
    runner(done("fan/0/x", List.of("y"), cut("x0"), false));
    runner(done("fan/1/x", List.of("y"), null, true));
    assigned("runner_exited");

    assertThat(state.branch("fan/0").next()).containsExactly("y");
    assertThat(state.branch("fan/1").next()).as("rolled back").containsExactly("x");
    runner(started());
    runner(done("fan", List.of("end"), cut("joined"), false));
    assertThat(state.branches()).containsOnlyKeys("");
  }

  @Test
  void shouldDropOpenBranchesThatGrewFromLostFiles() {
    begin();
    runner(done("a", List.of("fan"), null, true));
    runner(new TraceEvent.StepStarted("fan", "parallel", 1, 1));
    runner(done("fan/0/x", List.of("y"), cut("x0"), false));
    assigned("runner_exited");

    assertThat(state.branch("").next()).containsExactly("a");
    assertThat(state.branches()).containsOnlyKeys("");
    assertThat(state.steps()).doesNotContainKeys("a", "fan/0/x");
  }

  @Test
  void shouldCountFailedAttemptsOfAVisitAcrossEpochs() {
    begin();
    runner(new TraceEvent.StepRetried("a", "shell", 1, 2, Failure.of("exit_code", "1"), 5, null));
    assigned("runner_exited");
    runner(started());
    runner(new TraceEvent.StepStarted("a", "shell", 1, 3));

    assertThat(state.steps().get("a")).extracting(StepState::failedAttempts).isEqualTo(2);
    runner(new TraceEvent.StepStarted("a", "shell", 2, 1));
    assertThat(state.steps().get("a")).extracting(StepState::failedAttempts).isEqualTo(0);
  }

  @Test
  void shouldLetTheFirstAnswerHold() {
    begin();
    runner(waiting("ok"));
    answer(BooleanNode.TRUE, "first");
    answer(BooleanNode.FALSE, "second");

    assertThat(by("ok-1")).isEqualTo("first");
  }

  @Test
  void shouldTakeTheDefaultAsAnAnswerByTimeoutWhereAStepEndsWithOneAndNobodyGaveIt() {
    begin();
    control(new TraceEvent.ApprovalAnswered("x", "other", BooleanNode.TRUE, "me", null, null));
    for (String step : List.of("yes", "no", "late", "none", "given")) {
      runner(
          new TraceEvent.ApprovalRequested(
              step,
              RUN + "-" + step,
              "go?",
              null,
              switch (step) {
                case "none" -> null;
                case "yes" -> IntNode.valueOf(1);
                default -> BooleanNode.FALSE;
              },
              Instant.EPOCH,
              null,
              null));
    }
    runner(done("yes", List.of("no"), null, false));
    runner(failed("no", ApprovalState.REJECTED));
    runner(failed("late", "timeout"));
    runner(done("none", List.of(), null, false));
    // The answer reached the runner before its event was on the log.
    runner(done("given", List.of(), null, false));

    assertThat(state.approvals().get(RUN + "-yes"))
        .extracting(ApprovalState::answer)
        .isEqualTo(IntNode.valueOf(1));
    assertThat(by("yes")).isEqualTo("timeout");
    assertThat(by("no")).isEqualTo("timeout");
    assertThat(List.of("given", "late", "none")).allSatisfy(step -> assertThat(by(step)).isNull());
  }

  private void answer(BooleanNode answer, String by) {
    control(new TraceEvent.ApprovalAnswered("ok", RUN + "-ok-1", answer, by, null, null));
  }

  private @Nullable String by(String approval) {
    return Objects.requireNonNull(state.approvals().get(RUN + "-" + approval)).by();
  }

  private static TraceEvent failed(String step, String code) {
    return new TraceEvent.StepFailed(
        step, "approval", 1, 1, Failure.of(code, code), null, null, null, false);
  }

  @Test
  void shouldChangeLabelsAlsoAfterTheEndAndNothingElse() {
    begin();
    control(new TraceEvent.LabelsChanged(Map.of("a", "1"), null));
    assertThat(Objects.requireNonNull(state.created()).labels()).containsEntry("a", "1");
    runner(new TraceEvent.RunFailed("a", Failure.of("exit_code", "1")));
    control(new TraceEvent.LabelsChanged(Map.of("b", "2"), "me"));

    assertThat(status()).isEqualTo(RunStatus.FAILED);
    assertThat(Objects.requireNonNull(state.created()).labels()).isEqualTo(Map.of("b", "2"));
    assertThat(state.head().fenced()).isZero();
    assigned("resume");
    assertThat(status()).isEqualTo(RunStatus.RESUMING);
    assertThat(state.head().gap()).isNull();
  }

  @Test
  void shouldNotReopenAnEndedRunExceptByAResumeOfAFailedOne() {
    begin();
    runner(new TraceEvent.RunFailed("a", Failure.of("exit_code", "1")));
    assigned("runner_exited");
    assertThat(status()).isEqualTo(RunStatus.FAILED);
    assertThat(state.head().epoch()).isEqualTo(1);
    assigned("resume");
    assertThat(status()).isEqualTo(RunStatus.RESUMING);
  }

  @Test
  void shouldRefuseAnotherRunsEvent() {
    EventId id = new EventId(RunId.next(), Lane.CONTROL, 1);
    TraceEvent pause = new TraceEvent.PauseRequested(null, false, false, null);
    TraceRecord other = new TraceRecord(id, URI.create("/x"), Instant.EPOCH, pause);

    assertThatThrownBy(() -> state.apply(other)).hasMessageContaining("is not of run " + RUN);
  }

  private RunStatus status() {
    return state.head().status();
  }

  private StepState step(String path) {
    return Objects.requireNonNull(state.steps().get(path));
  }

  private void begin() {
    created("managed");
    assigned("start");
    runner(started());
  }

  private void created(String kind) {
    control(
        new TraceEvent.RunCreated(
            kind,
            "default",
            "w",
            null,
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
  }

  private void assigned(String reason) {
    epoch++;
    runner = 0;
    control(new TraceEvent.RunnerAssigned(epoch, "r" + epoch, reason));
  }

  private void control(TraceEvent event) {
    apply(Lane.CONTROL, ++control, event);
  }

  private void runner(TraceEvent event) {
    apply(Lane.runner(epoch), ++runner, event);
  }

  private void apply(Lane lane, long seq, TraceEvent event) {
    state =
        state.apply(new TraceRecord(new EventId(RUN, lane, seq), URI.create("/test"), at, event));
  }

  private static TraceEvent started() {
    return new TraceEvent.RunnerStarted("r", 1L, "h", null, 0);
  }

  private static TraceEvent waiting(String step) {
    return new TraceEvent.ApprovalRequested(
        step, RUN + "-" + step + "-1", "go?", null, null, null, null, null);
  }

  private static TraceEvent done(
      String step, List<String> next, @Nullable Cut cut, boolean withoutCut) {
    return done(step, 1, 1, next, cut, withoutCut);
  }

  private static TraceEvent done(
      String step,
      int visit,
      int output,
      List<String> next,
      @Nullable Cut cut,
      boolean withoutCut) {
    return new TraceEvent.StepCompleted(
        step,
        "shell",
        visit,
        1,
        new Output.Inline(IntNode.valueOf(output)),
        cut,
        withoutCut,
        next,
        0,
        null,
        null,
        1,
        null,
        null);
  }

  private static Cut cut(String name) {
    return new Cut(Digest.of(name.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, null);
  }
}
