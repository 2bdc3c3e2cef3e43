/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.workflow.DefinitionFile;
import dev.baton.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton run FILE|NAME}. */
@Command(
    name = "run",
    description = "Start a run of a workflow: a definition file, which is stored first, or a name.")
public final class RunCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(
      paramLabel = "FILE|NAME[@HASH]",
      description = "A definition (*.yaml, *.json, a path), or the name of a stored one.")
  private String workflow = "";

  @Mixin private InputOptions input = new InputOptions();

  @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = {"--deadline", "--timeout"},
      paramLabel = "2h|TIME",
      description = "Time limit of the run, or its deadline: 90s, 2h.")
  private @Nullable String deadline;

  @Option(
      names = "--priority",
      description =
          "-100 to 100: runs with a higher priority get a place or a runner first. Default: 0.")
  private @Nullable Integer priority;

  @Option(names = "--project", description = "The run's project. Default: default.")
  private @Nullable String project;

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "A repeated command with the same key does not start a second run (24 h).")
  private @Nullable String idempotencyKey;

  @Mixin private StartedRunFollower started = new StartedRunFollower();

  private @Nullable String reference;

  public RunCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    return started.show(context, create());
  }

  /** Returns the workflow reference for the API; stores a file first, once. */
  private String reference() {
    String known = reference;
    if (known == null) {
      known = DefinitionFile.reference(context.client(), workflow);
      reference = known;
    }
    return known;
  }

  private JsonNode create() {
    JsonNode with =
        input.read(
            context.terminal().in(),
            InputOptions::nothing,
            () -> InputOptions.schemaOf(context.client(), reference()));
    ObjectNode body = Json.mapper().createObjectNode();
    body.put("workflow", reference());
    body.set("input", with);
    if (!labels.isEmpty()) {
      labels.forEach(body.putObject("labels")::put);
    }
    if (deadline != null) {
      body.put("deadline", deadline);
    }
    if (priority != null) {
      body.put("priority", priority);
    }
    if (project != null) {
      body.put("project", project);
    }
    String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    return context
        .client()
        .post("/runs", Json.bytes(body), "application/json", Map.of("Idempotency-Key", key));
  }
}
