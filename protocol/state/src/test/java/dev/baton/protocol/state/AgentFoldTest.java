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
import dev.baton.protocol.trace.AgentConversation;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import dev.baton.protocol.trace.TraceRecord;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the fold keeps of agent steps: answers since the newest boundary, and the bill. */
class AgentFoldTest {
  private static final String RUN = TraceGenerator.RUN;

  private StateFold fold = new StateFold(RunState.empty(RUN));
  private final StateSizeTracker size = new StateSizeTracker();
  private int epoch;
  private long control;
  private long runner;

  @Test
  void shouldKeepTheAnswersSinceTheNewestBoundary() {
    begin();
    answered("k1", "0.10");
    turn("c1", 1);
    answered("k2", "0.20");
    answered("k3", "0.30");
    assigned("runner_exited");

    AgentState agent = agent();
    assertThat(keys(agent.answersSince(1, "c1"))).containsExactly("k2", "k3");
    assertThat(agent.answersSince(1, null)).as("from the files before the step").isEmpty();
    assertThat(agent.answersSince(2, "c1")).as("in another visit").isEmpty();
    assertThat(fold.state().resumePoint("")).contains(cut("c1"));
    assertThat(agent.spend().turns()).isEqualTo(3);
    assertThat(agent.spend().cost()).contains(new BigDecimal("0.6"));
    assertThat(agent.session()).isEqualTo("s1");

    started("c1");
    assertThat(keys(agent().answers())).containsExactly("k2", "k3");
    started(null);
    assertThat(agent().answers()).as("on the files before the step").isEmpty();
    assertThat(agent().spend().turns()).isEqualTo(3);
  }

  @Test
  void shouldGiveAnswersAgainWithoutAnyBoundary() {
    begin();
    answered("k1", "0.10");
    assigned("runner_exited");
    started(null);

    assertThat(keys(agent().answersSince(1, null))).containsExactly("k1");
  }

  @Test
  void shouldKeepTheCallsThatHaveBegunSinceTheNewestBoundary() {
    begin();
    toolBegun("c1");
    turn("c1", 1);
    toolBegun("c2");
    toolBegun("c3");
    toolEnded("c3", "error");
    toolEnded("other", "ok");
    assigned("runner_exited");
    toolEnded("c2", "denied");
    toolEnded("c3", "denied");

    assertThat(agent().begunSince(1, "c1"))
        .isEqualTo(Map.of("c2", begun("c2", 1, null), "c3", begun("c3", 1, "error")));
    assertThat(agent().begunSince(1, null)).as("from the files before the step").isEmpty();
    assertThat(agent().begunSince(2, "c1")).as("in another visit").isEmpty();

    started("c1");
    toolBegun("c3");
    assertThat(agent().begun()).containsEntry("c3", begun("c3", 2, null));
    started(null);
    assertThat(agent().begun()).as("on the files before the step").isEmpty();
  }

  @Test
  void shouldListTheCallsThatAResumedAgentRepeatsOnce() {
    begin();
    turn("c1", 1);
    toolBegun("c2");
    event(
        new ModelAnswered(
            "work", "s", "k", "a", "reported", "m", null, null, null, null, 5, List.of(), false));
    RepeatedCall repeated = begun("c2", 1, null).repeated("c2");
    event(new TraceEvent.CallsRepeated("work", List.of(repeated), 2));

    assertThat(agent().begun()).isEmpty();
    AgentTotals totals = Objects.requireNonNull(fold.state().head().agents());
    assertThat(totals.ownLogin()).isTrue();
    assertThat(totals.repeated()).containsExactly(new RepeatedCall("c2", "shell", "make c2", null));
    assertThat(totals.repeatedCount()).isEqualTo(3);
  }

  private static BegunToolCall begun(String call, int times, @Nullable String outcome) {
    return new BegunToolCall(times, outcome, "shell", "make " + call);
  }

  private void toolBegun(String call) {
    event(new TraceEvent.ToolBegun("work", "shell", call, "make " + call));
  }

  private void toolEnded(String call, String outcome) {
    event(
        new TraceEvent.ToolInvoked(
            "work", "shell", null, call, null, null, null, outcome, List.of()));
  }

  @Test
  void shouldNotResumeFromAnyOtherCheckpoint() {
    begin();
    answered("k1", "0.10");
    event(
        new TraceEvent.CheckpointSaved(
            "c1", "work", "periodic", cut("c1"), null, null, null, null));

    assertThat(keys(agent().answers())).containsExactly("k1");
    assertThat(fold.state().resumePoint("")).isEmpty();
  }

  @Test
  void shouldCountWhatIsUnknownAndNeverAsZero() {
    begin();
    answered("k1", "0.10");
    answered("k2", null);
    event(
        new ModelAnswered(
            "work", "sub", "k3", "a", "f", "m", null, null, null, null, 5, List.of(), false));

    AgentState agent = agent();
    assertThat(agent.spend().turns()).isEqualTo(3);
    assertThat(agent.spend().cost()).isEmpty();
    assertThat(agent.spend().unknown()).isEqualTo(2);
    assertThat(agent.spend().knownCost()).isEqualByComparingTo("0.1");
    assertThat(keys(agent.answers())).as("one broke off").containsExactly("k1", "k2");
    assertThat(agent.conversations().keySet()).containsExactly("main", "sub");
    AgentTotals totals = Objects.requireNonNull(fold.state().head().agents());
    assertThat(totals.spend()).isEqualTo(agent.spend());
    assertThat(totals.session()).isEqualTo("s1");
  }

  @Test
  void shouldKeepWhyASessionWasLost() {
    begin();
    event(
        new TraceEvent.AgentSessionCreated(
            "work", "command", "s2", null, null, null, true, "c1", "its file is torn", null));
    answered("k1", "0.10");
    event(
        new TraceEvent.AgentSessionCreated(
            "work", "command", "s2", null, null, null, true, "c2", null, null));

    AgentTotals totals = Objects.requireNonNull(fold.state().head().agents());
    assertThat(totals.degraded()).isEqualTo("its file is torn");
    assertThat(totals.session()).isEqualTo("s2");
  }

  @Test
  void shouldCountResumesWithoutANewAnswer() {
    begin();
    answered("k1", "0.10");
    turn("c1", 1);
    for (int i = 1; i <= 3; i++) {
      started("c1");
      session(true);
      assertThat(agent().resumes()).isEqualTo(i);
    }
    answered("k2", "0.10");
    assertThat(agent().resumes()).isZero();
  }

  @Test
  void shouldNotCountAResumeThatEndedWithItsRunner() {
    begin();
    answered("k1", "0.10");
    turn("c1", 1);
    started("c1");
    session(true);
    for (int i = 1; i <= 3; i++) {
      started("c1");
      session(true);
      assigned("runner_exited");
      assertThat(agent().resumes()).as("of the agent alone").isEqualTo(1);
      assertThat(agent().runnerDeaths()).isEqualTo(i);
    }
    assigned("runner_exited");
    assertThat(agent().runnerDeaths()).as("died before it had resumed the agent").isEqualTo(3);
    started("c1");
    session(true);
    assertThat(agent().resumes()).isEqualTo(2);
    answered("k2", "0.10");
    assertThat(agent().resumes()).isZero();
    assertThat(agent().runnerDeaths()).isZero();
  }

  @Test
  void shouldKeepTheBillAndDropTheAnswersAtTheEndOfAVisit() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    assertThat(size.bytes()).isGreaterThan(400);
    long before = size.bytes();
    event(completed(cut("2"), false));

    assertThat(agent().answers()).isEmpty();
    assertThat(agent().checkpoint()).isNull();
    assertThat(agent().spend().turns()).isEqualTo(1);
    assertThat(size.bytes()).isLessThan(before + 700);
  }

  @Test
  void shouldKeepTheConversationThatALaterStepContinues() {
    begin();
    turn("c1", 1);
    event(
        new TraceEvent.StepCompleted(
            "work",
            "agent",
            1,
            1,
            null,
            cut("2"),
            false,
            List.of(),
            0,
            null,
            Instant.EPOCH,
            1,
            null,
            new AgentConversation("command", "s1")));

    AgentRest rest = new AgentRest("command", "s1", cut("2"), false);
    assertThat(agent().rest()).isEqualTo(rest);
    RunState state = fold.state();
    assertThat(Json.read(Json.bytes(state), RunState.class)).isEqualTo(state);
    ForkStateBuilder fork = ForkStateBuilder.of(state, null, null);
    assertThat(fork.conversations()).containsExactly("2");
    assertThat(fork.state("fork", Map.of("2", "copy")).agents().get("work"))
        .extracting(AgentState::rest)
        .as("in a session of the fork's own")
        .isEqualTo(new AgentRest("command", "s1", cut("2").withCheckpoint("copy"), true));
    assertThat(fork.state("fork", Map.of()).agents()).as("without a copy").isEmpty();

    event(new TraceEvent.StepStarted("work", "agent", 2, 1, null));
    assertThat(agent().rest()).as("while the next visit works").isNull();
  }

  @Test
  void shouldNotContinueAConversationWithoutACut() {
    begin();
    turn("c1", 1);
    event(completed(null, true));

    assertThat(agent().rest()).isNull();
  }

  @Test
  void shouldRepeatAStepWithoutACutForNothing() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    event(completed(null, true));
    assigned("runner_exited");

    assertThat(fold.state().resumePoint("")).contains(cut("c1"));
    assertThat(keys(agent().answersSince(1, "c1"))).containsExactly("k1");
  }

  @Test
  void shouldStartAFailedAttemptWithoutAnswers() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    event(
        new TraceEvent.StepRetried("work", "agent", 1, 1, Failure.of("exit_code", "1"), 1L, null));

    assertThat(agent().answers()).isEmpty();
    assertThat(fold.state().resumePoint("")).isEmpty();
  }

  @Test
  void shouldContinueWithAnotherBudget() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    event(
        new TraceEvent.StepFailed(
            "work", "agent", 1, 1, Failure.of("budget", "used up"), null, null, null, false));
    event(new TraceEvent.RunFailed("work", Failure.of("budget", "used up")));
    resume(new ModelBudget(new BigDecimal("5"), null, null));
    resume(new ModelBudget(null, 9L, null));
    assigned("resume");

    assertThat(fold.state().budget()).isEqualTo(new ModelBudget(new BigDecimal("5"), 9L, null));
    assertThat(fold.state().resumePoint("")).contains(cut("c1"));
    assertThat(keys(agent().answersSince(1, "c1"))).containsExactly("k1");
    assertThat(agent().spend().turns()).isEqualTo(1);
  }

  @Test
  void shouldNotTakeMoneyBackAtAnEarlierState() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    String after = RUN + "/1/" + runner;
    fold = new StateFold(RunState.empty(RUN), java.util.Set.of(after));
    epoch = 0;
    control = 0;
    runner = 0;
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    turn("c2", 2);
    answered("k2", "0.20");
    assigned("runner_exited");
    event(
        new TraceEvent.RunDegraded(
            List.of(new DamagedCheckpoint("", "c2", cut("c2").digest(), "gone")), after));

    assertThat(fold.state().resumePoint("")).contains(cut("c1"));
    assertThat(keys(agent().answersSince(1, "c1"))).containsExactly("k1");
    assertThat(agent().spend().turns()).isEqualTo(2);
    assertThat(agent().spend().cost()).contains(new BigDecimal("0.3"));
  }

  @Test
  void shouldSurviveItsStoredForm() {
    begin();
    turn("c1", 1);
    answered("k1", "0.10");
    answered("k2", null);
    RunState state = fold.state();

    assertThat(Json.read(Json.bytes(state), RunState.class)).isEqualTo(state);
    StateFold other = new StateFold(state);
    assertThat(other.state()).isEqualTo(state);
  }

  private AgentState agent() {
    return Objects.requireNonNull(fold.state().agents().get("work"));
  }

  private static List<String> keys(List<ModelAnswered> answers) {
    return answers.stream().map(ModelAnswered::key).toList();
  }

  private void begin() {
    assigned("start");
    started(null);
    session(false);
  }

  private void session(boolean resumed) {
    event(
        new TraceEvent.AgentSessionCreated(
            "work", "command", "s1", null, null, null, resumed, null, null, null));
  }

  private void started(@Nullable String from) {
    event(new TraceEvent.StepStarted("work", "agent", 1, 1, from));
  }

  private void answered(String key, @Nullable String cost) {
    event(
        new ModelAnswered(
            "work",
            "main",
            key,
            "a",
            "anthropic-messages",
            "m",
            new Output.Inline(TextNode.valueOf("text")),
            null,
            cost == null ? null : new ModelUsage(10, 5, 0, 0, 0, 0),
            cost == null ? null : new BigDecimal(cost),
            5,
            List.of(),
            false));
  }

  private void turn(String checkpoint, int boundary) {
    event(
        new TraceEvent.CheckpointSaved(
            checkpoint,
            "work",
            "turn",
            cut(checkpoint),
            null,
            null,
            new StepAttempt("work", 1, 1),
            new AgentTurn("command", "s1", boundary)));
  }

  private TraceEvent.StepCompleted completed(@Nullable Cut cut, boolean withoutCut) {
    return new TraceEvent.StepCompleted(
        "work",
        "agent",
        1,
        1,
        null,
        cut,
        withoutCut,
        List.of(),
        0,
        null,
        Instant.EPOCH,
        1,
        null,
        null);
  }

  private void resume(ModelBudget budget) {
    accept(
        Lane.CONTROL,
        ++control,
        new TraceEvent.ResumeRequested(
            "me", null, null, Map.of(), List.of(), null, List.of(), budget));
    accept(Lane.CONTROL, ++control, new TraceEvent.PauseRequested(null, false, true, null));
  }

  private static Cut cut(String id) {
    return new Cut(Digest.of(id.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, id);
  }

  private void assigned(String reason) {
    accept(Lane.CONTROL, ++control, new TraceEvent.RunnerAssigned(++epoch, "r", reason));
    runner = 0;
  }

  private void event(TraceEvent.Runner event) {
    size.add(event);
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
