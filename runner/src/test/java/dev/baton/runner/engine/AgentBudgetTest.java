/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.loop.LoopDriver;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.agents.AgentSettings;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A used-up budget of an agent step, over many epochs of its run on one runner. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class AgentBudgetTest {
  private static final int RESUMES = 100;
  private static final int MAX_RESPONSE = 1 << 20;

  /** With the price of the model, the 1,000 tokens of an answer cost 0.015 US dollars. */
  private static final String WORKFLOW =
      """
      name: bounded
      steps:
        - id: work
          agent:
            use: loop
            model: claude-sonnet-4-5
            prompt: Count.
            budget: {cost: 0.02}
      """;

  private final RunnerTestEnvironment services;

  AgentBudgetTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private static List<ScriptedReply> script() {
    List<ScriptedReply> replies = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      replies.add(
          ScriptedReply.call("shell", "{\"command\": \"echo %d >> counted\"}".formatted(i))
              .usage(0, 0, 0, 1_000, 0));
    }
    replies.add(ScriptedReply.text("Counted.").usage(0, 0, 0, 1_000, 0));
    return replies;
  }

  private static AgentRuntime agents(ScriptedModelServer model) {
    return new AgentRuntime(
        new AgentSettings(
            Map.of("anthropic-messages", new ModelUpstream(model.baseUrl(), null, Map.of())),
            Optional.empty(),
            Optional.empty(),
            Set.of(),
            TlsSettings.NONE),
        List.of(new LoopDriver()));
  }

  private List<TraceEvent.RunFailed> awaitFailures(TestRun run, int count) throws Exception {
    services.trace.await(
        run.id,
        all ->
            all.stream()
                    .map(TraceRecord::event)
                    .filter(TraceEvent.RunFailed.class::isInstance)
                    .count()
                == count);
    return run.events(TraceEvent.RunFailed.class);
  }

  @Test
  void shouldSpendNothingInAHundredResumesWithAUsedUpBudget() throws Exception {
    TestRun run = new TestRun(services, WORKFLOW, "{}");
    try (ScriptedModelServer model = ScriptedModelServer.start(ModelScript.byTurn(script()));
        AgentRuntime agents = agents(model);
        TestRunner runner =
            new TestRunner(
                services,
                new StepExecutorRegistry(name -> Optional.empty(), MAX_RESPONSE, agents),
                Map.of())) {
      services.gateway.awaitHello(runner.id);
      run.start(runner.id);
      awaitFailures(run, 1);
      assertThat(model.requests()).as("at most one answer passes a budget").hasSize(2);

      for (int resume = 1; resume <= RESUMES; resume++) {
        run.resume();
        services.gateway.assign(runner.id, run.assign());
        awaitFailures(run, 1 + resume);
      }

      assertThat(awaitFailures(run, 1 + RESUMES))
          .allSatisfy(failed -> assertThat(failed.error().code()).isEqualTo("budget"));
      assertThat(model.requests()).as("calls of the model").hasSize(2);
      assertThat(run.events(TraceEvent.ModelAnswered.class)).hasSize(2);
      assertThat(run.events(TraceEvent.AgentSessionCreated.class))
          .as("processes of the agent")
          .hasSize(1);

      run.resume(new ModelBudget(BigDecimal.ONE, null, null));
      services.gateway.assign(runner.id, run.assign());
      services.trace.await(run.id, TraceEvent.RunCompleted.class, done -> true);

      assertThat(model.requests()).as("each answer paid once").hasSize(4);
      assertThat(run.events(TraceEvent.ModelAnswered.class))
          .noneMatch(TraceEvent.ModelAnswered::diverged);
    }
  }
}
