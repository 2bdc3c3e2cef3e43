/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.cli.client.Pages;
import dev.baton.cli.client.Query;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
import dev.baton.protocol.json.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton resume ID}. */
@Command(
    name = "resume",
    description =
        "Let a run that failed or was lost go on with the step that failed. What has completed is"
            + " not run again.",
    footer = {
      "%nExamples:",
      "  baton resume 4v8k2m --wait",
      "  baton resume --failed --workflow release"
    })
public final class ResumeCommand implements Callable<Integer> {
  private static final int MOST = 10_000;

  private final Context context;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "A run's id, or its last six characters.")
  private @Nullable String id;

  @Option(names = "--failed", description = "All runs that have failed; at most 10,000.")
  private boolean failed;

  @Option(names = "--workflow", description = "With --failed: only runs of this workflow.")
  private @Nullable String workflow;

  @Mixin private StartedRun started = new StartedRun();

  public ResumeCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if ((id == null) == !failed) {
      throw CliFailure.usage("give a run's id, or --failed for all that have failed");
    }
    if (workflow != null && !failed) {
      throw CliFailure.usage("--workflow goes with --failed; a single run is named by its id");
    }
    if (id == null) {
      return resumeAll();
    }
    String run = RunRef.parse(id).id(context.client());
    return started.show(context, resume(run), "goes on");
  }

  private JsonNode resume(String run) {
    return context.client().post("/runs/" + run + "/resume", Json.mapper().createObjectNode());
  }

  private int resumeAll() {
    if (started.waits()) {
      throw CliFailure.usage("--wait and --follow are for one run");
    }
    JsonNode found =
        Pages.read(
            context.client(),
            "runs",
            MOST,
            () -> Query.of("/runs").with("status", "failed").with("workflow", workflow));
    ArrayNode resumed = Json.mapper().createArrayNode();
    int refused = 0;
    for (JsonNode run : found.path("runs")) {
      try {
        JsonNode answer = resume(run.path("id").asText());
        resumed.add(answer);
        if (!context.json()) {
          context.print("run " + answer.path("id").asText() + " goes on");
        }
      } catch (CliFailure e) {
        if (e.code() != ExitCode.CONFLICT) {
          throw e;
        }
        // The others may go on nevertheless.
        refused++;
        context.terminal().err().println("baton: " + e.line());
      }
    }
    if (context.json()) {
      context.printJson(Json.mapper().createObjectNode().set("runs", resumed));
    } else if (resumed.isEmpty() && refused == 0) {
      context.print("no runs have failed");
    }
    return (refused == 0 ? ExitCode.OK : ExitCode.CONFLICT).number();
  }
}
