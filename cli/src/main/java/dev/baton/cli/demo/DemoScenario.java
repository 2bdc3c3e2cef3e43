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
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.run.EndedRunReader;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs the demonstration: one undisturbed run, then runs whose runner is killed. */
final class DemoScenario {
  private static final String WORKFLOW = "examples/release-report.yaml";

  private final CommandContext context;
  private final DemoPrinter narrator;
  private final DemoStack stage;
  private final Path home;

  DemoScenario(CommandContext context, DemoPrinter narrator, DemoStack stage, Path home) {
    this.context = context;
    this.narrator = narrator;
    this.stage = stage;
    this.home = home;
  }

  DemoReport run(KillPlan plan) throws IOException, InterruptedException {
    Path repository = DemoGitRepository.copy(home, stage.folder());
    try (OrchestratorRestClient client = stage.client()) {
      var stored = new DefinitionFile(home.resolve(WORKFLOW)).push(client);
      String workflow = stored.path("name").asText() + "@" + stored.path("hash").asText();
      ObjectNode input = Json.mapper().createObjectNode().put("repository", repository.toString());

      narrator.title("Run 1: " + WORKFLOW + " on this repository, undisturbed");
      long began = System.nanoTime();
      DemoRun first = run(client, workflow, input, List.of(), false);
      DemoArtifacts expected = artifacts(client, first);
      TraceCheck undisturbed = TraceCheck.of(first.events());
      narrator.line(
          "  took " + TimeFormatter.duration(Duration.ofNanos(System.nanoTime() - began)));
      if (!expected.consistent()) {
        throw CliException.of(
            CliExitCode.FAILED,
            "the files of the undisturbed run do not match its output: " + expected);
      }

      DemoReport report = DemoReport.none(expected);
      int runs = 1;
      // Bounded: a kill planned after a run's end does not happen, and another run is needed.
      for (int more = 0;
          report.kills().size() < plan.kills() && more < 2 * plan.kills() + 2;
          more++) {
        List<KillPlan.Moment> moments =
            plan.next(plan.kills() - report.kills().size(), undisturbed.completed());
        narrator.title("Run %d: the same, but its runner is killed".formatted(++runs));
        DemoRun disturbed = run(client, workflow, input, moments, true);
        report =
            report.with(disturbed, artifacts(client, disturbed), TraceCheck.of(disturbed.events()));
      }
      return report.complete(plan.kills());
    }
  }

  private DemoRun run(
      OrchestratorRestClient client,
      String workflow,
      ObjectNode input,
      List<KillPlan.Moment> moments,
      boolean brief) {
    String id = DemoRun.create(client, workflow, input);
    narrator.line("  run " + id + " (" + RunId.display(id) + ")");
    DemoRun run = new DemoRun(client, narrator, id, moments, brief);
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
          tail(run.events()));
    }
    return run;
  }

  private DemoArtifacts artifacts(OrchestratorRestClient client, DemoRun run)
      throws IOException, InterruptedException {
    JsonNode view = EndedRunReader.view(client, run.id(), run.events().getLast());
    return DemoArtifacts.fetch(client, view, stage.folder().resolve("restored").resolve(run.id()));
  }

  private static List<String> tail(List<ApiRunEvent> events) {
    Stream<ApiRunEvent> last = events.stream().skip(Math.max(0, events.size() - 5));
    return new ArrayList<>(last.map(dev.baton.cli.run.EventLineFormatter::of).toList());
  }
}
