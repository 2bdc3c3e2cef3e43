/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.testkit.TraceGenerator;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tool calls of agents that wait for people: open, answered, closed. */
class ToolApprovalFoldTest {
  private static final String RUN = TraceGenerator.RUN;
  private static final Cut CUT =
      new Cut(
          Digest.of("files".getBytes(StandardCharsets.UTF_8)), "chunks", 1, 1, 1, null, List.of());

  private final StateFold fold = new StateFold(RunState.empty(RUN));
  private int epoch;
  private long control;
  private long runner;

  @BeforeEach
  void begin() {
    assigned("start");
    runner(new TraceEvent.StepStarted("work", "agent", 1, 1));
    runner(
        new TraceEvent.AgentSessionCreated(
            "work", "loop", "s1", null, null, null, false, null, null, null));
  }

  @Test
  void shouldWaitUntilEachOfSeveralCallsIsAnswered() {
    ask("a", "c1");
    ask("b", "c2");
    assertThat(status()).isEqualTo(RunStatus.WAITING);
    assertThat(step()).isEqualTo(StepState.Status.WAITING);

    answer("b");
    assertThat(open()).containsExactly("a");
    assertThat(status()).isEqualTo(RunStatus.WAITING);
    answer("a");

    assertThat(open()).isEmpty();
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
    assertThat(step()).isEqualTo(StepState.Status.RUNNING);
    assertThat(approval("a").answer()).isNotNull();
    assertThat(approval("b").cut()).isEqualTo("sha256:files");
  }

  @Test
  void shouldKeepAnOpenCallOverParkingAndANewRunner() {
    ask("a", "c1");
    runner(new TraceEvent.RunParked(null, null, List.of("a"), Map.of()));
    assigned("unparked");
    assertThat(open()).containsExactly("a");
    runner(new TraceEvent.StepStarted("work", "agent", 1, 1));

    assertThat(status()).as("it is not requested again").isEqualTo(RunStatus.WAITING);
    assertThat(step()).isEqualTo(StepState.Status.WAITING);
    answer("a");
    assertThat(step()).isEqualTo(StepState.Status.RUNNING);
  }

  @Test
  void shouldInterruptAnAgentThatIsAnsweredWithoutARunner() {
    ask("a", "c1");
    runner(new TraceEvent.RunParked(null, null, List.of("a"), Map.of()));
    answer("a");

    assertThat(status()).isEqualTo(RunStatus.WAITING);
    assertThat(step()).isEqualTo(StepState.Status.INTERRUPTED);
  }

  @Test
  void shouldCloseACallThatHasEnded() {
    ask("a", "c1");
    ask("b", "c2");
    runner(
        new TraceEvent.ToolInvoked(
            "work", "shell", null, "c1", null, null, null, "denied", List.of()));
    assertThat(open()).containsExactly("b");
    runner(
        new TraceEvent.ToolInvoked("work", "shell", null, "c2", null, null, null, "ok", List.of()));

    assertThat(open()).isEmpty();
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void shouldReplaceACallByTheSameOneOnOtherFiles() {
    ask("a", "c1");
    ask("b", "c1");

    assertThat(open()).containsExactly("b");
    assertThat(status()).isEqualTo(RunStatus.WAITING);
  }

  @Test
  void shouldCloseTheCallsOfALostSessionAndOfAFailedAttempt() {
    ask("a", "c1");
    runner(
        new TraceEvent.AgentSessionCreated(
            "work", "loop", "s2", null, null, null, true, null, "its file is torn", null));
    assertThat(open()).isEmpty();
    assertThat(step()).isEqualTo(StepState.Status.RUNNING);

    ask("b", "c2");
    runner(new TraceEvent.StepRetried("work", "agent", 1, 1, Failure.of("x", "y"), 5, null));
    assertThat(open()).isEmpty();
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void shouldForgetDecisionsWithTheStepAndInputsAtOnce() {
    ask("a", "c1");
    assertThat(Objects.requireNonNull(approval("a").tool()).input()).isNull();
    answer("a");
    runner(completed("work", 1, null, false));

    assertThat(fold.state().approvals()).isEmpty();
  }

  /** The inner step ended with a cut, but a step around it did not: both are taken back. */
  @Test
  void shouldKeepADecisionThatAnOuterBranchMayReturnTo() {
    String inner = "each/0/work";
    runner(new TraceEvent.StepStarted("each", "parallel", 1, 1));
    runner(new TraceEvent.StepStarted(inner, "agent", 1, 1));
    ask(inner, "a", "c1");
    answer(inner, "a");
    runner(completed("each", 1, null, true));
    runner(new TraceEvent.StepStarted("each", "parallel", 2, 1));
    runner(new TraceEvent.StepStarted(inner, "agent", 2, 1));
    runner(completed(inner, 2, CUT, false));

    assigned("runner_lost");

    assertThat(approval("a").answer()).isNotNull();
    runner(completed(inner, 1, null, false));
    runner(completed("each", 1, CUT, false));
    assertThat(fold.state().approvals()).isEmpty();
  }

  @Test
  void shouldCountNoResumeThatADecisionHasCaused() {
    for (int resume = 1; resume <= 5; resume++) {
      ask("a" + resume, "c" + resume);
      runner(new TraceEvent.RunParked(null, null, List.of("a" + resume), Map.of()));
      answer("a" + resume);
      assigned("unparked");
      runner(new TraceEvent.StepStarted("work", "agent", 1, 1));
      runner(
          new TraceEvent.AgentSessionCreated(
              "work", "loop", "s1", null, null, null, true, null, null, null));
    }

    assertThat(Objects.requireNonNull(fold.state().agents().get("work")).resumes()).isEqualTo(1);
  }

  private static TraceEvent.StepCompleted completed(
      String step, int visit, @Nullable Cut cut, boolean withoutCut) {
    return new TraceEvent.StepCompleted(
        step,
        "agent",
        visit,
        1,
        new Output.Inline(TextNode.valueOf("done")),
        cut,
        withoutCut,
        List.of(),
        null,
        null,
        null,
        1,
        null,
        null);
  }

  private void ask(String approval, String call) {
    ask("work", approval, call);
  }

  private void ask(String step, String approval, String call) {
    runner(
        new TraceEvent.ApprovalRequested(
            step,
            approval,
            "shell: ls",
            null,
            null,
            null,
            "sha256:files",
            new ToolCall(call, "shell", Json.mapper().createObjectNode(), "sha256:in", null)));
  }

  private void answer(String approval) {
    answer("work", approval);
  }

  private void answer(String step, String approval) {
    control(
        new TraceEvent.ApprovalAnswered(
            step,
            approval,
            Json.mapper().createObjectNode().put("approved", true),
            "ann",
            null,
            null));
  }

  private List<String> open() {
    return List.copyOf(fold.state().head().toolCalls().keySet());
  }

  private ApprovalState approval(String id) {
    return Objects.requireNonNull(fold.state().approvals().get(id));
  }

  private RunStatus status() {
    return fold.state().head().status();
  }

  private StepState.Status step() {
    return Objects.requireNonNull(fold.state().steps().get("work")).status();
  }

  private void assigned(String reason) {
    epoch++;
    control(new TraceEvent.RunnerAssigned(epoch, "r" + epoch, reason));
    runner = 0;
    runner(new TraceEvent.RunnerStarted("r" + epoch, 1L, "h", null, 0));
  }

  private void control(TraceEvent.Control event) {
    accept(Lane.CONTROL, ++control, event);
  }

  private void runner(TraceEvent.Runner event) {
    accept(Lane.runner(epoch), ++runner, event);
  }

  private void accept(Lane lane, long seq, TraceEvent event) {
    assertThat(
            fold.accept(
                new TraceRecord(
                    new EventId(RUN, lane, seq), URI.create("/test"), Instant.EPOCH, event)))
        .isEqualTo(RunHead.Verdict.ACCEPTED);
  }
}
