/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton projects}: without a subcommand, prints the list. */
@Command(
    name = "projects",
    description = "List, create, limit and delete projects. Changes need the role admin.",
    footer = {
      "%nExamples:",
      "  baton projects create payments",
      "  baton projects limit payments --runs 20 --waiting 500 --rate 5",
      "  baton projects limit payments --storage-bytes 20000000000",
      "  baton projects show payments",
      "  baton projects limit payments --clear"
    })
public final class ProjectsCommand implements Runnable {
  private static final String PATH = "/projects";
  private static final String NO_LIMIT = "-";

  private final CommandContext context;

  public ProjectsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    list(100);
  }

  @Command(name = "list", description = "List the projects in which this key has a role.")
  void list(
      @Option(
              names = "--limit",
              defaultValue = "100",
              description = "Maximum number of projects. Default: ${DEFAULT-VALUE}.")
          int limit) {
    PageReader.check(limit);
    JsonNode found =
        PageReader.read(context.client(), "projects", limit, () -> UrlQueryBuilder.of(PATH));
    context.show(found, () -> print(found.path("projects")));
  }

  @Command(name = "create", description = "Create a project; one that exists stays as it is.")
  void create(@Parameters(paramLabel = "NAME", description = "Its name.") String name) {
    JsonNode project = context.client().put(path(name), Json.mapper().createObjectNode());
    context.show(project, "project " + project.path("name").asText());
  }

  @Command(name = "show", description = "Show a project, its limits, and their use.")
  void show(@Parameters(paramLabel = "NAME", description = "Its name.") String name) {
    JsonNode project = context.client().get(path(name));
    context.show(project, () -> print(Json.mapper().createArrayNode().add(project)));
  }

  @Command(
      name = "limit",
      description = "Set limits of a project; those that are not named stay as they are.")
  void limit(
      @Parameters(paramLabel = "NAME", description = "Its name.") String name,
      @Option(
              names = "--runs",
              paramLabel = "N",
              description = "Maximum number of runs under way; further ones wait. 0: none begins.")
          @Nullable Integer runs,
      @Option(
              names = "--waiting",
              paramLabel = "N",
              description = "Maximum number of runs that wait; further ones are refused.")
          @Nullable Integer waiting,
      @Option(
              names = "--rate",
              paramLabel = "N",
              description = "New runs per second, on average; further ones are refused.")
          @Nullable Double rate,
      @Option(
              names = "--storage-bytes",
              paramLabel = "N",
              description =
                  "Bytes of checkpoints from which on new runs are refused. 20000000000: 20 GB.")
          @Nullable Long storageBytes,
      @Option(names = "--clear", description = "Remove the limits that are not named.")
          boolean clear) {
    if (runs == null && waiting == null && rate == null && storageBytes == null && !clear) {
      throw CliException.usage(
          "name a limit: --runs, --waiting, --rate, --storage-bytes, or --clear");
    }
    ObjectNode limits = Json.mapper().createObjectNode();
    if (!clear && context.client().get(path(name)).path("limits") instanceof ObjectNode now) {
      limits.setAll(now);
    }
    if (runs != null) {
      limits.put("runs", runs);
    }
    if (waiting != null) {
      limits.put("waiting", waiting);
    }
    if (rate != null) {
      limits.put("rate", rate);
    }
    if (storageBytes != null) {
      limits.put("storage_bytes", storageBytes);
    }
    JsonNode project =
        context.client().put(path(name), Json.mapper().createObjectNode().set("limits", limits));
    context.show(project, () -> print(Json.mapper().createArrayNode().add(project)));
  }

  @Command(name = "delete", description = "Delete a project without runs.")
  void delete(@Parameters(paramLabel = "NAME", description = "Its name.") String name) {
    context.client().delete(path(name), OrchestratorRestClient.REQUEST);
    context.show(Json.mapper().createObjectNode().put("deleted", name), "deleted project " + name);
  }

  private static String path(String name) {
    return PATH + "/" + UrlQueryBuilder.encode(name);
  }

  private static String size(JsonNode bytes) {
    return bytes.isNumber() ? ByteSizeFormatter.of(bytes.longValue()) : NO_LIMIT;
  }

  private void print(JsonNode projects) {
    TextTable table =
        new TextTable(
            "NAME", "UNDER WAY", "LIMIT", "WAITING", "LIMIT", "RATE", "STORED", "LIMIT", "RUNS");
    for (JsonNode project : projects) {
      JsonNode limits = project.path("limits");
      table.row(
          project.path("name").asText(),
          project.path("under_way").asText(),
          limits.path("runs").asText(NO_LIMIT),
          project.path("queued").asText(),
          limits.path("waiting").asText(NO_LIMIT),
          limits.path("rate").asText(NO_LIMIT),
          size(project.path("stored_bytes")),
          size(limits.path("storage_bytes")),
          project.path("runs").asText());
    }
    context.print(table, "no projects; create one with `baton projects create NAME`");
  }
}
