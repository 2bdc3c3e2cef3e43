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
import dev.baton.protocol.testkit.TraceGenerator;
import dev.baton.protocol.trace.AgentChange;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ForkStateBuilderTest {
  private static final String CHILD = "01jd0000000000000000000001";
  private static final int TRACES = 300;

  private static Cut cut(String name, String checkpoint) {
    return new Cut(
        Digest.of(name.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, checkpoint);
  }

  private static RunState fold(List<TraceRecord> events) {
    StateFold fold = new StateFold(RunState.empty(TraceGenerator.RUN));
    events.forEach(fold::accept);
    return fold.state();
  }

  /** Compares at each event of random traces. */
  @Test
  void shouldBeginWhereANewEpochOfTheParentWould() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.printf("forks of random traces, -Dbaton.seed=%d%n", seed);
    for (int i = 0; i < TRACES; i++) {
      List<TraceRecord> clean = new TraceGenerator(seed + i).clean;
      for (int n = 2; n <= clean.size(); n++) {
        RunState parent = fold(clean.subList(0, n));
        String what = "seed %d, after %s".formatted(seed + i, clean.get(n - 1).id());

        RunState fork = ForkStateBuilder.of(parent, null, null).state(CHILD, Map.of());

        StateFold next = new StateFold(parent);
        next.settle();
        RunState again = next.state();
        Map<String, BranchState> begunAgain = new TreeMap<>(again.branches());
        begunAgain.replaceAll((path, branch) -> branch.withFailed(false));
        assertThat(fork.branches()).as(what).isEqualTo(begunAgain);
        assertThat(fork.steps().keySet()).as(what).isEqualTo(again.steps().keySet());
        fork.steps()
            .forEach(
                (path, step) -> check(what, step, Objects.requireNonNull(again.steps().get(path))));
        assertThat(fork.plans()).as(what).isEqualTo(again.plans());
        assertThat(fork.sessions()).as(what).isEqualTo(again.sessions());
        assertThat(fork.head()).as(what).isEqualTo(RunHead.NONE);
        assertThat(fork.approvals()).as(what).isEmpty();
        assertThat(parent).as(what).isEqualTo(fold(clean.subList(0, n)));
      }
    }
  }

  private static void check(String what, StepState step, StepState again) {
    assertThat(step.completions()).as(what).isEqualTo(again.completions());
    assertThat(step.output()).as(what).isEqualTo(again.output());
    if (again.hasEnded()) {
      assertThat(step.status()).as(what).isEqualTo(again.status());
      assertThat(step.startedAt()).as(what).isEqualTo(again.startedAt());
    } else {
      assertThat(step.status()).as(what).isEqualTo(StepState.Status.INTERRUPTED);
      assertThat(step.failedAttempts()).as(what).isZero();
      assertThat(step.startedAt()).as(what).isNull();
    }
  }

  private static RunState parent() {
    Builder events = new Builder();
    events.runner(completed("build", List.of("both"), cut("build", "c1")));
    events.runner(new TraceEvent.StepStarted("both", "parallel", 1, 1));
    events.runner(completed("both/a/lint", List.of(), cut("lint", "c2")));
    events.runner(new TraceEvent.StepStarted("both/b/test", "shell", 1, 1));
    return events.state;
  }

  /** Assigns seqs to a run's events. */
  private static final class Builder {
    private RunState state = RunState.empty(TraceGenerator.RUN);
    private long seq;

    Builder() {
      accept(Lane.CONTROL, 1, new TraceEvent.RunnerAssigned(1, "r", "start"));
    }

    Builder(RunState from, TraceEvent created) {
      state = from;
      accept(Lane.CONTROL, 1, created);
      accept(Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(1, "r", "start"));
    }

    AgentFork fork() {
      return Objects.requireNonNull(Objects.requireNonNull(state.agents().get("work")).fork());
    }

    void runner(TraceEvent event) {
      accept(Lane.runner(1), ++seq, event);
    }

    private void accept(Lane lane, long number, TraceEvent event) {
      state =
          state.apply(
              new TraceRecord(
                  new EventId(TraceGenerator.RUN, lane, number),
                  URI.create("/test"),
                  Instant.EPOCH,
                  event));
    }
  }

  private static TraceEvent completed(String step, List<String> next, Cut cut) {
    return new TraceEvent.StepCompleted(
        step, "shell", 1, 1, null, cut, false, next, 0, null, null, 1, null, null);
  }

  @Test
  void shouldNeedTheFilesOfEveryOpenBranch() {
    ForkStateBuilder fork = ForkStateBuilder.of(parent(), null, null);

    assertThat(fork.checkpoints()).containsExactlyInAnyOrder("c1", "c2");
    assertThat(fork.withoutFiles()).isEmpty();
    RunState state = fork.state(CHILD, Map.of("c1", "d1", "c2", "d2"));
    assertThat(checkpoint(state, "")).isEqualTo("d1");
    assertThat(checkpoint(state, "both/a")).isEqualTo("d2");
  }

  @Test
  void shouldBeginOnTheFilesOfACutInsideAStep() {
    ForkStateBuilder fork = ForkStateBuilder.of(parent(), cut("half", "c3"), "both/b/test");

    assertThat(fork.checkpoints()).containsExactlyInAnyOrder("c1", "c2", "c3");
    RunState state = fork.state(CHILD, Map.of("c1", "d1", "c2", "d2", "c3", "d3"));
    assertThat(checkpoint(state, "both/b")).isEqualTo("d3");
    assertThat(state.branch("both/b").begun()).isFalse();
  }

  @Test
  void shouldContinueAnAgentAtItsNewestBoundary() {
    Builder events = new Builder();
    events.runner(completed("build", List.of("work"), cut("build", "c1")));
    events.runner(new TraceEvent.StepStarted("work", "agent", 1, 1));
    events.runner(
        new TraceEvent.AgentSessionCreated(
            "work", "claude", "s1", null, null, null, false, null, null, null));
    events.runner(answered("k1"));
    events.runner(
        new TraceEvent.CheckpointSaved(
            "c2",
            "work",
            "turn",
            cut("half", "c2"),
            null,
            null,
            new StepAttempt("work", 1, 1),
            new AgentTurn("claude", "s1", 7)));
    RunState parent = events.state;
    events.runner(answered("k2"));

    ForkStateBuilder fork = ForkStateBuilder.of(parent, cut("half", "c2"), "work");

    assertThat(fork.checkpoints()).containsExactlyInAnyOrder("c1", "c2");
    RunState state = fork.state(CHILD, Map.of("c1", "d1", "c2", "d2"));
    assertThat(checkpoint(state, "")).isEqualTo("d1");
    assertThat(state.resumePoint("")).contains(cut("half", "d2"));
    AgentState agent = Objects.requireNonNull(state.agents().get("work"));
    assertThat(agent.session()).isEqualTo("s1");
    assertThat(agent.checkpoint()).isEqualTo("d2");
    assertThat(agent.boundary()).isEqualTo(7);
    assertThat(agent.answers()).isEmpty();
    assertThat(agent.spend().turns()).as("the parent has paid it").isZero();
    assertThat(ForkStateBuilder.of(events.state, cut("older", "c0"), "work").checkpoints())
        .as("no boundary of the agent: only files")
        .containsExactly("c0");
  }

  @Test
  void shouldForkTheSessionUntilTheForkHasABoundaryOfItsOwn() {
    Builder parent = new Builder();
    parent.runner(completed("build", List.of("work"), cut("build", "c1")));
    parent.runner(new TraceEvent.StepStarted("work", "agent", 1, 1));
    parent.runner(
        new TraceEvent.AgentSessionCreated(
            "work", "claude", "s1", null, null, null, false, null, null, null));
    parent.runner(boundary("c2", "s1"));
    RunState state =
        ForkStateBuilder.of(parent.state, cut("half", "c2"), "work")
            .state(TraceGenerator.RUN, Map.of("c1", "d1", "c2", "d2"));

    Builder fork = new Builder(state, created(new AgentChange("and more", "m2", null)));
    assertThat(fork.fork()).isEqualTo(new AgentFork("s1", "claude", "and more", "m2", null));
    fork.runner(new TraceEvent.StepStarted("work", "agent", 1, 1, "d2"));
    fork.runner(
        new TraceEvent.AgentSessionCreated(
            "work", "claude", "s2", null, null, null, false, null, null, null));
    assertThat(fork.fork())
        .as("it may die")
        .isEqualTo(new AgentFork("s1", "claude", "and more", "m2", null));

    fork.runner(boundary("d3", "s2"));

    assertThat(fork.fork()).isEqualTo(new AgentFork(null, null, "and more", "m2", null));
    RunState second =
        ForkStateBuilder.of(fork.state, cut("half", "d3"), "work")
            .state(CHILD, Map.of("d1", "e1", "d3", "e3"));
    assertThat(Objects.requireNonNull(second.agents().get("work")).fork())
        .as("a fork of the fork: the session of the fork, with its model")
        .isEqualTo(new AgentFork("s2", "claude", null, "m2", null));
    fork.runner(new TraceEvent.StepStarted("work", "agent", 2, 1));
    assertThat(fork.fork()).isEqualTo(new AgentFork(null, null, null, "m2", null));
  }

  private static TraceEvent boundary(String checkpoint, String session) {
    return new TraceEvent.CheckpointSaved(
        checkpoint,
        "work",
        "turn",
        cut("half", checkpoint),
        null,
        null,
        new StepAttempt("work", 1, 1),
        new AgentTurn("claude", session, 7));
  }

  private static TraceEvent created(AgentChange change) {
    return new TraceEvent.RunCreated(
        "managed",
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
        new ForkedFrom(CHILD, 5, "work", "c2", change),
        0,
        null);
  }

  private static TraceEvent answered(String key) {
    return new TraceEvent.ModelAnswered(
        "work",
        "main",
        key,
        "a",
        "anthropic-messages",
        "m",
        new Output.Inline(TextNode.valueOf("text")),
        null,
        null,
        null,
        5,
        List.of(),
        false);
  }

  private static String checkpoint(RunState state, String branch) {
    Cut cut = Objects.requireNonNull(state.branch(branch).cut());
    return Objects.requireNonNull(cut.checkpoint());
  }

  @Test
  void shouldSayWhichFilesCannotBeHad() {
    assertThat(
            ForkStateBuilder.of(parent(), cut("half", "c3").withCheckpoint(null), null)
                .withoutFiles())
        .containsExactly("");
  }

  @Test
  void shouldTellWhatADefinitionLacksToGoOn() {
    RunState state = parent();

    assertThat(DefinitionChangeChecker.problems(workflow("{id: lint, shell: x}"), state)).isEmpty();
    assertThat(DefinitionChangeChecker.problems(workflow("{id: lint, transform: '1'}"), state))
        .containsExactly(
            "step 'both/a/lint' has completed as shell and is transform in the definition");
    assertThat(DefinitionChangeChecker.problems(workflow("{id: other, shell: x}"), state))
        .containsExactly("step 'both/a/lint' has completed and is not in the definition");
    Workflow shorter = parse("name: x\nsteps: [{id: build, shell: x}]");
    assertThat(DefinitionChangeChecker.problems(shorter, state))
        .containsExactly(
            "step 'both/a/lint' has completed and is not in the definition",
            "the run resumes with step 'both', which is not in the definition");
  }

  private static Workflow workflow(String inner) {
    return parse(
        """
        name: x
        steps:
          - {id: build, shell: x}
          - id: both
            parallel:
              branches:
                a: [%s]
                b: [{id: test, shell: x}]
        """
            .formatted(inner));
  }

  private static Workflow parse(String text) {
    return ((WorkflowParseResult.Valid) WorkflowParser.parse(text, DefinitionFormat.YAML))
        .workflow();
  }

  @Test
  void shouldDeriveIdsThatAreIds() {
    String derived = RunId.derived(CHILD, TraceGenerator.RUN);

    assertThat(RunId.isValid(derived)).isTrue();
    assertThat(derived).isNotEqualTo(CHILD).isEqualTo(RunId.derived(CHILD, TraceGenerator.RUN));
    assertThat(derived).isNotEqualTo(RunId.derived(CHILD, CHILD));
    assertThat(RunId.time(derived)).isEqualTo(RunId.time(CHILD));
  }
}
