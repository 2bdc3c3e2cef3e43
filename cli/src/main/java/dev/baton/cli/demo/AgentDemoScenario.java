/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.run.EventLineFormatter;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Lets an agent fix a program twice: undisturbed, and with its runner killed twice. */
final class AgentDemoScenario {
  private static final String WORKFLOW = "examples/agent-loop.yaml";

  private final DemoPrinter narrator;
  private final DemoStack stage;
  private final Path home;
  private final AgentDemoModel model;
  private final DemoAgent agent;

  AgentDemoScenario(
      DemoPrinter narrator, DemoStack stage, Path home, AgentDemoModel model, DemoAgent agent) {
    this.narrator = narrator;
    this.stage = stage;
    this.home = home;
    this.model = model;
    this.agent = agent;
  }

  /** What one run has left. */
  private record Outcome(
      AgentDemoRun run, AgentDemoFiles files, JsonNode conversation, int calls) {}

  AgentDemoReport run() throws IOException, InterruptedException {
    Path repository = AgentDemoRepository.create(stage.folder());
    try (OrchestratorRestClient client = stage.client()) {
      JsonNode stored = new DefinitionFile(workflow()).push(client);
      String workflow = stored.path("name").asText() + "@" + stored.path("hash").asText();
      ObjectNode input = Json.mapper().createObjectNode().put("repository", repository.toString());
      narrator.title(
          "Run 1: %s%s, undisturbed; the model is a script on loopback, without a key"
              .formatted(WORKFLOW, agent.isProgram() ? " with use: " + agent.use() : ""));
      Outcome calm = run(client, workflow, input, List.of());
      narrator.title("Run 2: the same, but its runner is killed twice");
      Outcome killed = run(client, workflow, input, AgentDemoModel.TEST_RUNS);
      return report(calm, killed);
    }
  }

  private Path workflow() throws IOException {
    Path example = home.resolve(WORKFLOW);
    if (!agent.isProgram()) {
      return example;
    }
    return Files.writeString(
        stage.folder().resolve("agent-" + agent.use() + ".yaml"),
        agent.workflow(Files.readString(example)));
  }

  private Outcome run(
      OrchestratorRestClient client, String workflow, ObjectNode input, List<Integer> killAt)
      throws IOException, InterruptedException {
    int before = model.calls();
    String id = DemoRun.create(client, workflow, input);
    narrator.line("  run " + id + " (" + RunId.display(id) + ")");
    AgentDemoRun run = new AgentDemoRun(client, narrator, id, killAt, () -> model.calls() - before);
    narrator.begin("running");
    try {
      run.follow();
    } finally {
      narrator.end();
    }
    ApiRunEvent last = run.events().getLast();
    if (!last.type().equals("run_completed")) {
      throw CliException.detailed(
          CliExitCode.FAILED,
          "run %s ended with %s".formatted(id, last.type()),
          List.of(EventLineFormatter.of(last)));
    }
    return new Outcome(
        run,
        AgentDemoFiles.fetch(client, id, stage.folder().resolve("restored").resolve(id)),
        model.conversation(),
        model.calls() - before);
  }

  private static AgentDemoReport report(Outcome calm, Outcome killed) {
    List<String> failures = new ArrayList<>();
    boolean files = calm.files().equals(killed.files());
    if (!files) {
      failures.add("the files differ: %s, undisturbed %s".formatted(killed.files(), calm.files()));
    }
    boolean conversation = calm.conversation().equals(killed.conversation());
    if (!conversation) {
      failures.add(
          "the conversations differ: %s, undisturbed %s"
              .formatted(killed.conversation(), calm.conversation()));
    }
    AgentDemoRun run = killed.run();
    if (run.kills().size() != AgentDemoModel.TEST_RUNS.size()) {
      failures.add(
          "only %d of %d kills were performed"
              .formatted(run.kills().size(), AgentDemoModel.TEST_RUNS.size()));
    }
    if (run.sessions().size() != 1) {
      failures.add(
          "the agent had %d sessions: %s".formatted(run.sessions().size(), run.sessions()));
    }
    int extra = killed.calls() - calm.calls();
    if (extra < 0 || extra > run.underWay()) {
      failures.add(
          "%d model calls were paid, undisturbed %d, with %d under way at a kill"
              .formatted(killed.calls(), calm.calls(), run.underWay()));
    }
    return new AgentDemoReport(
        calm.files(),
        files,
        conversation,
        run.sessions().isEmpty() ? "" : run.sessions().getFirst(),
        calm.calls(),
        killed.calls(),
        run.underWay(),
        run.kills(),
        failures);
  }
}
