/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.audit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.trace.RunId;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton audit}. */
@Command(
    name = "audit",
    description = {
      "List the calls that changed data or were refused, newest first: when, by which API key,",
      "from where, on which run. Needs a key with the role admin in all projects."
    },
    footer = {
      "%nExamples:",
      "  baton audit --since 1h",
      "  baton audit --run 7c9e2f",
      "  baton audit --caller ci --outcome refused",
      "  baton audit --operation 'POST /runs' -o json"
    })
public final class AuditCommand implements Runnable {
  private static final int MAX_PROJECTS = 3;

  private final CommandContext context;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only calls from this time on: how long ago (2h, 7d), or a moment.")
  private @Nullable String since;

  @Option(names = "--until", paramLabel = "TIME", description = "Only calls before this time.")
  private @Nullable String until;

  @Option(
      names = "--caller",
      paramLabel = "KEY",
      description = "Only calls of this API key, by its name or id.")
  private @Nullable String caller;

  @Option(names = "--project", description = "Only calls on this project.")
  private @Nullable String project;

  @Option(names = "--run", paramLabel = "ID", description = "Only calls on this run.")
  private @Nullable String run;

  @Option(
      names = "--operation",
      description = "Only calls of this operation, for example 'POST /runs/{id}/cancel'.")
  private @Nullable String operation;

  @Option(
      names = "--outcome",
      description = "Only calls with this outcome: ok, refused, rejected, failed or unknown.")
  private @Nullable String outcome;

  @Option(names = "--limit", description = "Maximum number of records. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  public AuditCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    PageReader.check(limit);
    String of = run == null ? null : RunRef.parse(run).text();
    JsonNode found =
        PageReader.read(
            context.client(),
            "records",
            limit,
            () ->
                UrlQueryBuilder.of("/audit")
                    .with("since", since)
                    .with("until", until)
                    .with("caller", caller)
                    .with("project", project)
                    .with("run", of)
                    .with("operation", operation)
                    .with("outcome", outcome));
    context.show(found, () -> print(found.path("records")));
  }

  private void print(JsonNode records) {
    TextTable table =
        new TextTable("TIME", "CALLER", "PEER", "OPERATION", "TARGET", "PROJECT", "OUTCOME");
    for (JsonNode record : records) {
      int count = record.path("count").asInt(1);
      table.row(
          record.path("time").asText(),
          record.path("caller").asText("-"),
          record.path("peer").asText("-"),
          record.path("operation").asText(),
          target(record),
          projects(record.path("projects")),
          record.path("outcome").asText()
              + (record.hasNonNull("status") ? " " + record.path("status").asText() : "")
              + (count > 1 ? " ×" + count : ""));
    }
    context.print(table, "no calls");
  }

  private static String target(JsonNode record) {
    int runs = record.path("runs").size();
    if (runs > 1) {
      return runs + " runs";
    }
    if (runs == 1 && RunId.isValid(record.path("runs").path(0).asText())) {
      return RunId.display(record.path("runs").path(0).asText());
    }
    return record.path("target").asText("-");
  }

  private static String projects(JsonNode projects) {
    return projects.isEmpty()
        ? "-"
        : projects
            .valueStream()
            .limit(MAX_PROJECTS)
            .map(JsonNode::asText)
            .collect(Collectors.joining(","));
  }
}
