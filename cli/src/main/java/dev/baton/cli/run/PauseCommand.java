/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.RunEventFollower;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import dev.baton.protocol.json.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton pause ID}. */
@Command(
    name = "pause",
    description =
        "Pause a run: the step in progress completes, and the runner exits. `baton resume` continues it."
            + " Idempotent.",
    footer = {
      "%nExamples:",
      "  baton pause 4v8k2m",
      "  baton pause 4v8k2m --now --wait && baton resume 4v8k2m"
    })
public final class PauseCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(
      names = "--now",
      description = "Stop the step in progress at once; it runs again after resume.")
  private boolean now;

  @Option(
      names = "--wait",
      description = "Wait until it is paused; exit 1 when it has ended instead.")
  private boolean wait;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "The name of the person that pauses it. Default: $$USER.")
  private @Nullable String by;

  public PauseCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    JsonNode run = pause(context, RunRef.parse(id).id(context.client()), now, by);
    boolean paused = true;
    if (wait && !EndedRunReader.isPaused(run)) {
      run = await(run);
      paused = EndedRunReader.isPaused(run);
    }
    context.show(
        run,
        "%s is %s"
            .formatted(
                RunPrinter.displayId(run),
                wait || EndedRunReader.isPaused(run)
                    ? run.path("status").asText()
                    : now ? "being paused now" : "being paused after the step in progress"));
    return (paused ? CliExitCode.OK : CliExitCode.FAILED).number();
  }

  /** Sends the request. */
  static JsonNode pause(CommandContext context, String run, boolean now, @Nullable String by) {
    ObjectNode body = Json.mapper().createObjectNode().put("now", now);
    context.putAuthor(body, by);
    return context.client().post("/runs/" + run + "/pause", body);
  }

  private JsonNode await(JsonNode run) {
    String full = run.path("id").asText();
    int epoch = run.path("epoch").asInt(1);
    boolean[] current = {false};
    try (ProgressIndicator _ =
        ProgressIndicator.start(context.terminal(), "pausing " + RunPrinter.displayId(run))) {
      ApiRunEvent last =
          new RunEventFollower(context.client(), full, 0)
              .follow(
                  event -> {
                    current[0] = current[0] || StartedRunFollower.begins(event, epoch);
                    return true;
                  },
                  event -> current[0] && (event.isLast() || event.isPause()));
      return EndedRunReader.view(context.client(), full, last);
    }
  }
}
