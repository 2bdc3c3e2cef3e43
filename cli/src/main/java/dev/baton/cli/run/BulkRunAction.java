/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Applies one command to all runs that match a filter: lists them, prompts for confirmation, sends
 * the requests page by page, and prints a summary.
 */
final class BulkRunAction {
  /** Runs per request; a page this large completes well within the timeout. */
  private static final int PAGE = 200;

  /** Maximum number of runs per call of the command. */
  private static final int MOST = 100_000;

  private static final int SHOWN = 20;

  @Mixin private RunFilterOptions filter = new RunFilterOptions();

  @Option(names = "--all", description = "All runs; required when no filter is given.")
  private boolean all;

  @Option(names = "--dry-run", description = "Only list the matching runs.")
  private boolean dryRun;

  @Option(
      names = {"-y", "--yes"},
      description = "Skip the confirmation.")
  private boolean yes;

  /** Whether the command is for many runs instead of one given by its id. */
  boolean isWanted() {
    return all || !filter.isEmpty();
  }

  /**
   * @param verb {@code cancel} or {@code delete}, as in the API
   * @param more adds fields to each request
   * @return the exit code
   */
  int run(CommandContext context, String verb, Consumer<ObjectNode> more) {
    filter.check();
    JsonNode meant = pages(context, verb, true, more);
    int count = meant.path("results").size();
    if (dryRun || count == 0) {
      show(context, verb, meant);
      return CliExitCode.OK.number();
    }
    if (!yes) {
      show(context, verb, meant);
      confirm(context, verb, count);
    }
    JsonNode done;
    try (ProgressIndicator _ =
        ProgressIndicator.start(context.terminal(), verb + " " + count + " runs")) {
      done = pages(context, verb, false, more);
    }
    sumUp(context, done);
    return done.path("failed").asInt() == 0 ? CliExitCode.OK.number() : CliExitCode.FAILED.number();
  }

  private JsonNode pages(
      CommandContext context, String verb, boolean dry, Consumer<ObjectNode> more) {
    ObjectNode sum = Json.mapper().createObjectNode();
    ArrayNode results = sum.putArray("results");
    int failed = 0;
    String cursor = "";
    do {
      ObjectNode body = Json.mapper().createObjectNode();
      body.set("filter", filter.json());
      body.put("all", all).put("limit", PAGE).put("dry_run", dry);
      if (!cursor.isEmpty()) {
        body.put("cursor", cursor);
      }
      more.accept(body);
      JsonNode page =
          context.client().post("/runs/bulk/" + verb, body, OrchestratorRestClient.WORK);
      page.path("results").forEach(results::add);
      failed += page.path("failed").asInt();
      cursor = page.path("next_cursor").asText("");
    } while (!cursor.isEmpty() && results.size() < MOST);
    return sum.put("failed", failed);
  }

  private void show(CommandContext context, String verb, JsonNode meant) {
    JsonNode results = meant.path("results");
    if (context.json()) {
      if (dryRun || results.isEmpty()) {
        context.printJson(meant);
      }
      return;
    }
    if (results.isEmpty()) {
      context.print("no such runs");
      return;
    }
    TextTable table = new TextTable("ID", "WORKFLOW", "STATUS");
    int shown = 0;
    for (JsonNode run : results) {
      if (shown++ == SHOWN) {
        break;
      }
      table.row(
          run.path("run").asText(),
          run.path("workflow").asText("-"),
          context.style().status(run.path("status").asText()));
    }
    table.print(context.terminal().out(), context.style());
    if (results.size() > SHOWN) {
      context.print("… and " + (results.size() - SHOWN) + " more");
    }
    context.print("%d runs to %s".formatted(results.size(), verb));
  }

  private static void confirm(CommandContext context, String verb, int count) {
    if (!context.terminal().errIsTerminal()) {
      throw CliException.usage(
          "cannot prompt for confirmation without a terminal: use --yes to confirm, or --dry-run to list the runs");
    }
    context.terminal().err().print("%s these %d runs? [y/N] ".formatted(verb, count));
    context.terminal().err().flush();
    try {
      String line =
          new BufferedReader(new InputStreamReader(context.terminal().in(), StandardCharsets.UTF_8))
              .readLine();
      String answer = line == null ? "" : line.strip().toLowerCase(Locale.ROOT);
      if (!answer.equals("y") && !answer.equals("yes")) {
        throw CliException.of(CliExitCode.FAILED, "nothing was done");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void sumUp(CommandContext context, JsonNode done) {
    if (context.json()) {
      context.printJson(done);
      return;
    }
    int failed = done.path("failed").asInt();
    for (JsonNode result : done.path("results")) {
      if (result.path("outcome").asText().equals("failed")) {
        context.print(
            context
                .style()
                .bad(result.path("run").asText() + ": " + result.path("detail").asText()));
      }
    }
    String outcome =
        done.path("results")
            .valueStream()
            .map(result -> result.path("outcome").asText())
            .filter(word -> !word.equals("failed"))
            .findFirst()
            .orElse("done");
    context.print(
        "%d %s, %d failed".formatted(done.path("results").size() - failed, outcome, failed));
  }
}
