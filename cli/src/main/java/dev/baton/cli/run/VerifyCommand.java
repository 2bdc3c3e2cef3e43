/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton verify ID}. */
@Command(
    name = "verify",
    description = "Verify the signatures and leases of a run's events.",
    footer = {
      "%nExit code 1 if a proof is missing or invalid, or a control event is missing.",
      "%nExamples:",
      "  baton verify 4v8k2m",
      "  baton verify 4v8k2m -o json | jq .problems"
    })
public final class VerifyCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  public VerifyCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    RunRef asked = RunRef.parse(id);
    JsonNode report;
    try (ProgressIndicator _ = ProgressIndicator.start(context.terminal(), "verifying")) {
      report =
          context
              .client()
              .get("/runs/" + asked.text() + "/verification", OrchestratorRestClient.WORK);
    }
    context.show(report, () -> print(report));
    return report.path("valid").asBoolean() ? CliExitCode.OK.number() : CliExitCode.FAILED.number();
  }

  private void print(JsonNode report) {
    boolean valid = report.path("valid").asBoolean();
    JsonNode control = report.path("control");
    JsonNode runner = report.path("runner");
    context.print(
        "%s run %s: %s"
            .formatted(
                valid ? context.style().good("✓") : context.style().bad("✗"),
                report.path("run").asText(),
                verdict(report)));
    context.print(
        "  %d control events, %d signed%s"
            .formatted(
                control.path("events").asLong(),
                control.path("signed").asLong(),
                report.path("signed").asBoolean() ? "" : "; the run began without a signature"));
    context.print(
        "  %d events of runners, %d with a lease"
            .formatted(runner.path("events").asLong(), runner.path("with_lease").asLong()));
    for (JsonNode key : report.path("keys")) {
      context.print(
          "  key %s%s: %d control events, %d events of runners"
              .formatted(
                  key.path("kid").asText(),
                  key.path("published").asBoolean() ? "" : context.style().bad(" (not published)"),
                  key.path("control_events").asLong(),
                  key.path("runner_events").asLong()));
    }
    for (JsonNode gap : report.path("gaps")) {
      context.print(
          "  %s"
              .formatted(
                  context
                      .style()
                      .bad(
                          "lane %s: expected seq %d, found %d"
                              .formatted(
                                  gap.path("lane").asText(),
                                  gap.path("expected").asLong(),
                                  gap.path("found").asLong()))));
    }
    for (JsonNode problem : report.path("problems")) {
      context.print("  " + line(problem));
    }
    long more = report.path("wrong").asLong() - listed(report.path("problems"));
    if (more > 0) {
      context.print("  and " + more + " more events");
    }
  }

  private static String verdict(JsonNode report) {
    long wrong = report.path("wrong").asLong();
    if (wrong > 0) {
      return wrong + (wrong == 1 ? " event has" : " events have") + " no valid proof";
    }
    return report.path("gaps").isEmpty() ? "all proofs are valid" : "control events are missing";
  }

  private static long listed(JsonNode problems) {
    long events = 0;
    for (JsonNode problem : problems) {
      events += problem.path("events").asLong();
    }
    return events;
  }

  private static String line(JsonNode problem) {
    long events = problem.path("events").asLong();
    return "%s%s: %s: %s"
        .formatted(
            problem.path("event").asText(),
            events > 1 ? " (%d events)".formatted(events) : "",
            problem.path("reason").asText(),
            problem.path("detail").asText());
  }
}
