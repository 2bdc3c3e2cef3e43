/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.EventFeed;
import dev.baton.cli.client.RunEvent;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
import dev.baton.cli.terminal.Progress;
import dev.baton.cli.terminal.Times;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton run FILE|NAME}. */
@Command(
    name = "run",
    description = "Start a run of a workflow: a definition file, which is stored first, or a name.")
public final class RunCommand implements Callable<Integer> {
  private final Context context;

  @Parameters(
      paramLabel = "FILE|NAME[@HASH]",
      description = "A definition (*.yaml, *.json, a path), or the name of a stored one.")
  private String workflow = "";

  @Mixin private InputOptions input = new InputOptions();

  @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--deadline", description = "The run is given up after this long: 90s, 2h.")
  private @Nullable String deadline;

  @Option(names = "--project", description = "The project it belongs to. Default: default.")
  private @Nullable String project;

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "Repeating the command with the same key starts no second run (24 h).")
  private @Nullable String idempotencyKey;

  @ArgGroup private Waiting waiting = new Waiting();

  private static final class Waiting {
    @Option(names = "--wait", description = "Wait for its end; exit 1 when it does not complete.")
    private boolean wait;

    @Option(
        names = {"-f", "--follow"},
        description = "Like --wait, and show its events as they come.")
    private boolean follow;

    @Option(names = "--detach", description = "Only start it. The default.")
    private boolean detach;
  }

  public RunCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    JsonNode run = create();
    boolean wait = waiting.wait || waiting.follow;
    if (!wait) {
      if (context.json()) {
        context.printJson(run);
      } else {
        String id = RunView.displayId(run);
        context.print("run " + run.path("id").asText() + " started");
        context.print("  baton events " + id + " -f    baton status " + id);
      }
      return ExitCode.OK.number();
    }
    JsonNode ended = await(run);
    if (context.json()) {
      context.printJson(ended);
    } else {
      RunView.detail(context, ended);
    }
    boolean completed = ended.path("status").asText().equals("completed");
    return (completed ? ExitCode.OK : ExitCode.FAILED).number();
  }

  private JsonNode create() {
    JsonNode with = input.read(context.terminal().in());
    ObjectNode body = Json.mapper().createObjectNode();
    body.put("workflow", reference());
    body.set("input", with);
    if (!labels.isEmpty()) {
      labels.forEach(body.putObject("labels")::put);
    }
    if (deadline != null) {
      body.put("deadline", deadline);
    }
    if (project != null) {
      body.put("project", project);
    }
    String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    return context
        .client()
        .post("/runs", Json.bytes(body), "application/json", Map.of("Idempotency-Key", key));
  }

  private String reference() {
    if (!DefinitionFile.looksLikeFile(workflow)) {
      return workflow;
    }
    JsonNode stored = new DefinitionFile(Path.of(workflow)).push(context.client());
    return stored.path("name").asText() + "@" + stored.path("hash").asText();
  }

  private JsonNode await(JsonNode run) {
    String id = run.path("id").asText();
    if (!context.json()) {
      context.print("run " + id);
    }
    try (Progress progress = Progress.start(context.terminal(), "run " + RunView.displayId(run))) {
      boolean interactive = context.terminal().errIsTerminal();
      RunEvent last =
          new EventFeed(context.client(), id, 0)
              .follow(
                  event -> {
                    show(progress, event, interactive);
                    return true;
                  });
      return EndedRun.view(context.client(), id, last);
    }
  }

  private void show(Progress progress, RunEvent event, boolean interactive) {
    if (waiting.follow && context.json()) {
      context.terminal().err().println(event.envelope());
    } else if (waiting.follow) {
      progress.line(context.style().dim(Times.clock(event.time())) + "  " + EventLine.of(event));
    } else if (interactive) {
      progress.update(EventLine.of(event));
    }
    if (event.type().equals("checkpoint_waiting") && !context.json()) {
      progress.line(
          context.style().attention("waits for you: ") + event.data().path("prompt").asText());
      progress.line("  baton approve " + event.data().path("approval").asText());
    }
  }
}
