/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.archive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TerminalStyle;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.trace.RunId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton archive}. */
@Command(
    name = "archive",
    aliases = "history",
    description = "List the runs in the git archive, newest first.",
    footer = {
      "%nWithout an archive (baton.archive.git) the list is empty.",
      "%nExamples:",
      "  baton archive",
      "  baton archive --limit 500 -o json"
    })
public final class ArchiveCommand implements Runnable {
  private static final int COMMIT = 10;

  private final CommandContext context;

  @Option(names = "--limit", description = "Maximum number of runs. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  public ArchiveCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    PageReader.check(limit);
    JsonNode all =
        PageReader.read(context.client(), "runs", limit, () -> UrlQueryBuilder.of("/archive"));
    context.show(withSource(all), () -> print(all.path("runs")));
  }

  /** Adds the archive's address to the server's response. */
  private static JsonNode withSource(JsonNode all) {
    ObjectNode answer = all.deepCopy();
    JsonNode more = answer.remove("next_cursor");
    answer.put("source", "git");
    if (more != null) {
      answer.set("next_cursor", more);
    }
    return answer;
  }

  private void print(JsonNode runs) {
    TerminalStyle style = context.style();
    Instant now = Instant.now();
    TextTable table =
        new TextTable(
            "ID", "WORKFLOW", "STATUS", "DONE", "EVENTS", "AGE", "TOOK", "COMMIT", "FILES");
    for (JsonNode run : runs) {
      Instant created = instant(run, "created_at");
      table.row(
          RunId.display(run.path("run").asText()),
          run.path("workflow").asText("-"),
          style.status(run.path("status").asText("unreadable")),
          run.path("steps_completed").asText("0"),
          run.path("events").asText("0"),
          created == null ? "" : TimeFormatter.duration(Duration.between(created, now)),
          TimeFormatter.span(run.path("created_at"), run.path("ended_at"), now),
          head(run.path("commit").asText()),
          run.path("left_out").isEmpty() ? "whole" : "left out: " + run.path("left_out").size());
    }
    context.print(table, "no runs");
  }

  private static @Nullable Instant instant(JsonNode run, String name) {
    return TimeFormatter.instant(run.path(name));
  }

  private static String head(String commit) {
    return commit.length() <= COMMIT ? commit : commit.substring(0, COMMIT);
  }
}
