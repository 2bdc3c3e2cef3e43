/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton replay ID}. */
@Command(
    name = "replay",
    aliases = {"fork"},
    description =
        "Start a new run from a checkpoint of another run, which is not changed. Steps completed"
            + " there are not run again.",
    footer = {
      "%nExamples:",
      "  baton replay 4v8k2m --checkpoint 7c1xyz",
      "  baton replay 4v8k2m --after build -i target=staging --wait",
      "  baton replay 4v8k2m --after build --workflow fixed.yaml",
      "  baton replay 4v8k2m --checkpoint 7c1xyz --files-only --workflow other.yaml",
      "  baton replay 4v8k2m --turn 12 --prompt 'Use the other library.' --wait",
      "  baton replay 4v8k2m --turn 12 --prompt @advice.txt --model claude-opus-4-5",
      "  baton replay 4v8k2m --turn 12 --use codex --model gpt-5.2-codex"
    })
public final class ReplayCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "The run's id, or its last six characters.")
  private String id = "";

  @ArgGroup(multiplicity = "1")
  private From from = new From();

  private static final class From {
    @Option(
        names = "--checkpoint",
        paramLabel = "ID",
        description = "Start from this checkpoint of the run (baton checkpoint list).")
    private @Nullable String checkpoint;

    @Option(
        names = "--after",
        paramLabel = "STEP",
        description = "Start after the latest completion of this step.")
    private @Nullable String step;

    @Option(
        names = "--turn",
        paramLabel = "N",
        description =
            "Start where an agent requested this turn (baton turns): with the files and the"
                + " conversation of that boundary. Turns before it are not paid again.")
    private @Nullable Integer turn;
  }

  @Option(
      names = "--files-only",
      description = "Use only the checkpoint's files, and start with the workflow's first step.")
  private boolean filesOnly;

  @Option(
      names = "--workflow",
      paramLabel = "FILE|NAME[@HASH]",
      description =
          "Continue with this definition: every completed step must be in it, with the same kind.")
  private @Nullable String workflow;

  @Option(
      names = "--prompt",
      paramLabel = "TEXT|@FILE|-",
      description =
          "Continue the agent's conversation with this message, instead of within its turn; needs"
              + " --turn, or the checkpoint of a turn.")
  private @Nullable String prompt;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model of the agent from there on; needs a turn, as --prompt does.")
  private @Nullable String model;

  @Option(
      names = "--use",
      paramLabel = "AGENT",
      description =
          "Another agent (claude, codex, opencode, loop) takes over on the files of the turn, in a"
              + " conversation of its own.")
  private @Nullable String use;

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "A label, instead of those of the run; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--deadline", description = "Time limit of the new run: 90s, 2h.")
  private @Nullable String deadline;

  @Option(names = "--priority", description = "-100 to 100, instead of that of the run.")
  private @Nullable Integer priority;

  @Mixin private StartedRunFollower started = new StartedRunFollower();

  public ReplayCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (filesOnly && from.checkpoint == null) {
      throw CliException.usage("--files-only requires --checkpoint");
    }
    requireTurn("--prompt", prompt);
    requireTurn("--model", model);
    requireTurn("--use", use);
    RunRef parent = RunRef.parse(id);
    ObjectNode body = Json.mapper().createObjectNode();
    if (from.checkpoint != null) {
      body.put("checkpoint", from.checkpoint);
    }
    if (from.turn != null) {
      String run = parent.id(context.client());
      body.put("checkpoint", new RunTurnReader(context.client()).checkpointOf(run, from.turn));
    }
    if (from.step != null) {
      body.put("step", from.step);
    }
    if (filesOnly) {
      body.put("files_only", true);
    }
    String other = workflow == null ? null : DefinitionFile.reference(context.client(), workflow);
    if (other != null) {
      body.put("workflow", other);
    }
    if (input.isGiven()) {
      body.set("input", inputFor(parent, other));
    }
    if (!labels.isEmpty()) {
      labels.forEach(body.putObject("labels")::put);
    }
    if (priority != null) {
      body.put("priority", priority);
    }
    if (deadline != null) {
      body.put("deadline", deadline);
    }
    if (prompt != null) {
      body.put("prompt", InputOptions.text(prompt, context.terminal().in(), "--prompt"));
    }
    if (model != null) {
      body.put("model", model);
    }
    if (use != null) {
      body.put("use", use);
    }
    return started.show(context, ForkRequestSender.create(context.client(), parent.text(), body));
  }

  private void requireTurn(String option, @Nullable String value) {
    if (value != null && (from.step != null || filesOnly)) {
      throw CliException.usage(
          option + " requires --turn, or --checkpoint with the checkpoint of a turn");
    }
  }

  /** Changes single properties of the parent's input, with types from the fork's workflow. */
  private JsonNode inputFor(RunRef parent, @Nullable String other) {
    return input.read(
        context.terminal().in(),
        () -> {
          JsonNode value = created(parent).path("input").path("value");
          return value.isMissingNode() ? InputOptions.nothing() : value;
        },
        () -> InputOptions.schemaOf(context.client(), other == null ? workflowOf(parent) : other));
  }

  private String workflowOf(RunRef parent) {
    JsonNode created = created(parent);
    return created.path("workflow").asText("") + "@" + created.path("definition_hash").asText("");
  }

  private JsonNode created(RunRef parent) {
    return context
        .client()
        .get(UrlQueryBuilder.of("/runs/" + parent.text() + "/events").with("limit", "1").toString())
        .path("events")
        .path(0)
        .path("data");
  }
}
