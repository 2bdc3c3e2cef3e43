/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.ClaudeScript;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Runs an agent by its own login: it reaches a scripted endpoint without the gateway. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@UsesScriptedModels
abstract class OwnLoginTestBase {
  static final Duration END = Duration.ofSeconds(300);
  static final String NAME = "own-login";
  private static final String BUDGET = "own-budget";

  private final LoginCase agent;

  @SuppressWarnings("NullAway.Init")
  private ScriptedModelServer model;

  @SuppressWarnings("NullAway.Init")
  ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  SharedStackExtension.RunningStack on;

  /**
   * An agent with a script.
   *
   * @param model name in the workflow
   * @param form of its requests
   * @param answers of an undisturbed session
   * @param expected the lines of the files that the script leaves, sorted
   */
  record LoginCase(
      String use,
      String model,
      ScriptedModelStack.Form form,
      ModelScript script,
      int answers,
      String expected,
      int kills) {
    private String urlVariable() {
      return ScriptedModelsExtension.provider(form) + "_BASE_URL";
    }

    private String keyVariable() {
      return ScriptedModelsExtension.provider(form) + "_API_KEY";
    }
  }

  OwnLoginTestBase(LoginCase agent) {
    this.agent = agent;
  }

  /** Returns the definition of the workflow with the name {@link #NAME}. */
  final String workflow() {
    return """
    name: %s
    steps:
      - id: work
        agent:
          use: %s
          gateway: off
          login: [%s, %s]
          model: %s
          prompt: Sort the imports of all files in src, and run the tests.
      - {id: after, shell: 'sort out.txt notes.txt | xargs echo'}
    """
        .formatted(NAME, agent.use, agent.urlVariable(), agent.keyVariable(), agent.model);
  }

  @BeforeAll
  void start() throws Exception {
    stack = ScriptedModelStack.withAgents(Map.of(agent.form, agent.script));
    model = stack.model(agent.form);
    on = stack.on;
    on.api.push(workflow());
    on.api.push(
        workflow()
            .replace("name: " + NAME, "name: " + BUDGET)
            .replace("model:", "budget: {turns: 3}\n      model:"));
  }

  @AfterAll
  void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private int calls() {
    return (int) model.requests().stream().filter(ClaudeScript::isOfTheWork).count();
  }

  @Test
  void shouldReportWhatTheAgentSays() throws Exception {
    int before = calls();
    String run = on.api.start(NAME, AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = stack.completed(run, END);

    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(agent.expected);
    assertThat(calls() - before).isEqualTo(agent.answers);
    assertThat(model.requests())
        .as("the agent's own key, not that of the gateway")
        .allMatch(
            request ->
                (request.header("x-api-key") + request.header("authorization"))
                    .contains(ScriptedModelsExtension.LOGIN_KEY));
    JsonNode shown = end.path("agent");
    assertThat(shown.path("own_login").asBoolean()).isTrue();
    assertThat(shown.path("turns").asInt()).isEqualTo(agent.answers);
    assertThat(shown.path("tokens").asLong()).isPositive();
    assertThat(shown.path("cost").asDouble()).isPositive();
    assertThat(shown.path("repeated_calls")).isEmpty();
    assertThat(on.api.events(run, "model_answered"))
        .hasSize(agent.answers)
        .allMatch(answer -> answer.path("form").asText().equals("reported"))
        .noneMatch(answer -> answer.has("answer"));
    assertThat(turns(run)).as("one after the calls of each answer").hasSize(agent.answers - 1);
    assertThat(on.api.events(run).toString()).doesNotContain(ScriptedModelsExtension.LOGIN_KEY);
    assertThat(BatonCliInvoker.run(on, "status", run).out())
        .contains("its own, without the gateway: answers may be paid twice");
  }

  /** Returns the boundaries between the turns of a run's agent. */
  private List<JsonNode> turns(String run) throws IOException, InterruptedException {
    return on.api.events(run, "checkpoint_saved").stream()
        .filter(saved -> saved.path("turn").isObject() && saved.path("cut").isObject())
        .toList();
  }

  @Test
  void shouldPayOneMoreCallForAKillAndListWhatRunsAgain() throws Exception {
    Random random =
        SeededRandomFactory.random(
            agent.use + " with its own login dies " + agent.kills + " times");
    int before = calls();
    String run = on.api.start(NAME, AcceptanceApiClient.JSON.createObjectNode());
    AgentRunnerKiller.KillResult kills =
        new AgentRunnerKiller(
                random,
                agent.kills,
                kill -> before + 2 + (agent.answers - 3) * (kill - 1) / agent.kills,
                this::calls)
            .kill(run);

    JsonNode end = stack.completed(run, END);

    int calls = calls() - before;
    List<JsonNode> repeats = on.api.events(run, "calls_repeated");
    System.out.printf(
        "  %s by its own login: %d kills, %d calls of orphans, %d calls for %d answers,"
            + " %d processes, repeated: %s%n",
        agent.use,
        kills.killed(),
        kills.orphanRequests(),
        calls,
        agent.answers,
        on.api.events(run, "agent_session_created").size(),
        repeats.stream().map(event -> event.path("calls").toString()).toList());
    assertThat(end.path("output").asText().strip())
        .as(() -> stack.history(run))
        .isEqualTo(agent.expected);
    // Without the gateway, an agent whose runner alone has died calls its model until it is ended.
    assertThat(calls)
        .as(() -> stack.history(run))
        .isBetween(agent.answers, agent.answers + kills.killed() + kills.orphanRequests());
    assertThat(on.api.events(run, "agent_session_created"))
        .as(() -> stack.history(run))
        .noneMatch(session -> session.hasNonNull("degraded"));
    List<String> listed = new ArrayList<>();
    repeats.forEach(
        event -> event.path("calls").forEach(call -> listed.add(call.path("id").asText())));
    assertThat(listed).as(() -> stack.history(run)).isEqualTo(lost(run));
    assertThat(end.path("agent").path("repeated_count").asInt()).isEqualTo(listed.size());
    if (!listed.isEmpty()) {
      assertThat(BatonCliInvoker.run(on, "status", run).out()).contains("may have repeated it");
    }
  }

  /** Returns the ids of the calls that had begun after the newest boundary before each resume. */
  private List<String> lost(String run) throws IOException, InterruptedException {
    List<String> lost = new ArrayList<>();
    List<String> begun = new ArrayList<>();
    for (JsonNode event : on.api.events(run)) {
      JsonNode data = event.path("data");
      switch (event.path("type").asText().replaceFirst("^dev\\.baton\\.", "")) {
        case "tool_begun" -> begun.add(data.path("id").asText());
        case "checkpoint_saved" -> {
          if (data.path("turn").isObject() && data.path("cut").isObject()) {
            begun.clear();
          }
        }
        case "agent_session_created" -> {
          if (data.path("resumed").asBoolean()) {
            lost.addAll(begun);
          }
          begun.clear();
        }
        default -> {
          // Nothing about calls.
        }
      }
    }
    return lost;
  }

  @Test
  void shouldStopAtABudget() throws Exception {
    int before = calls();
    String run = on.api.start(BUDGET, AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "failed", END);

    assertThat(end.path("error").path("code").asText())
        .as(() -> stack.history(run))
        .isEqualTo("budget");
    assertThat(calls() - before).isEqualTo(3);
  }
}
