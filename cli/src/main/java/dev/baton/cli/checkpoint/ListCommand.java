/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.Query;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton checkpoint list [RUN]}. */
@Command(
    name = "list",
    description = "The checkpoints of a run, or of a project, newest first.",
    footer = {
      "%nExamples:",
      "  baton checkpoint list 7c9e2f",
      "  baton checkpoint list --project website --limit 100 -o json"
    })
final class ListCommand implements Runnable {
  private static final int PAGE = 1000;
  private static final int MOST = 100_000;

  private final Context context;

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description = "A run's id, or its last six characters. Without one: all of the project.")
  private @Nullable String run;

  @Option(names = "--project", description = "Default: the project 'default'.")
  private @Nullable String project;

  @Option(
      names = "--limit",
      description = "At most so many checkpoints. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  ListCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (limit < 1 || limit > MOST) {
      throw CliFailure.usage("--limit " + limit + " is not 1 to " + MOST);
    }
    JsonNode all = all();
    if (context.json()) {
      context.printJson(all);
    } else {
      CheckpointView.list(context, all.path("cuts"), run != null);
    }
  }

  private JsonNode all() {
    ObjectNode all = Json.mapper().createObjectNode();
    ArrayNode cuts = all.putArray("cuts");
    String cursor = null;
    do {
      JsonNode page =
          context
              .client()
              .get(
                  Query.of("/cuts")
                      .with("run", run == null ? null : RunRef.parse(run).text())
                      .with("project", project)
                      .with("limit", Math.min(PAGE, limit - cuts.size()))
                      .with("cursor", cursor)
                      .toString());
      page.path("cuts").forEach(cuts::add);
      cursor = page.path("next_cursor").asText("");
    } while (!cursor.isEmpty() && cuts.size() < limit);
    if (!cursor.isEmpty()) {
      all.put("next_cursor", cursor);
    }
    return all;
  }
}
