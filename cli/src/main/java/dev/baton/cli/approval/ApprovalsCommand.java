/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton approvals}. */
@Command(
    name = "approvals",
    description = "List the approvals that wait for a person, oldest first.",
    footer = {
      "%nExamples:",
      "  baton approvals",
      "  baton approvals --run 7c9e2f --status answered",
      "  baton approvals -o json | jq -r '.approvals[].id'"
    })
public final class ApprovalsCommand implements Runnable {
  private static final List<String> STATUSES = List.of("waiting", "answered", "expired", "all");
  private static final int WIDEST = 60;

  private final CommandContext context;

  @Option(
      names = "--status",
      description = "waiting, answered, expired, or all. Default: ${DEFAULT-VALUE}.")
  private String status = "waiting";

  @Option(names = "--run", paramLabel = "ID", description = "Only approvals of this run.")
  private @Nullable String run;

  @Option(
      names = "--limit",
      description = "Maximum number of approvals. Default: ${DEFAULT-VALUE}.")
  private int limit = 100;

  public ApprovalsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    PageReader.check(limit);
    if (!STATUSES.contains(status)) {
      throw CliException.usage(
          "--status '%s' is not one of %s".formatted(status, String.join(", ", STATUSES)));
    }
    String of = run == null ? null : RunRef.parse(run).text();
    JsonNode found =
        PageReader.read(
            context.client(),
            "approvals",
            limit,
            () ->
                UrlQueryBuilder.of("/approvals")
                    .with("status", status.equals("all") ? null : status)
                    .with("run", of));
    if (context.json()) {
      context.printJson(found);
      return;
    }
    Instant now = Instant.now();
    TextTable table =
        new TextTable("APPROVAL", "STEP", "STATUS", "REQUESTED", "EXPIRES", "BY", "PROMPT");
    for (JsonNode approval : found.path("approvals")) {
      Instant expires = TimeFormatter.instant(approval.path("expires_at"));
      table.row(
          approval.path("id").asText(),
          approval.path("step").asText(),
          context.style().status(approval.path("status").asText()),
          TimeFormatter.ago(TimeFormatter.instant(approval.path("asked_at")), now),
          expires == null ? "" : expires.toString(),
          approval.path("by").asText(""),
          shorten(approval.path("prompt").asText()));
    }
    context.print(
        table, status.equals("waiting") ? "no approval waits for an answer" : "no approvals");
  }

  private static String shorten(String prompt) {
    return TextEscaper.oneLine(prompt, WIDEST);
  }
}
