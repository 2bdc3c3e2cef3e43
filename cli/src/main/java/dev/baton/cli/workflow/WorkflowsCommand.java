/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton workflows}: without a subcommand, prints the list. */
@Command(name = "workflows", description = "List, show, store and check workflow definitions.")
public final class WorkflowsCommand implements Runnable {
  private static final int LARGEST = 16 << 20;

  private final CommandContext context;

  public WorkflowsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    list();
  }

  @Command(name = "list", description = "List the stored workflows.")
  void list() {
    JsonNode answer = context.client().get("/workflows");
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    TextTable table = new TextTable("NAME", "HASH", "UPDATED");
    for (JsonNode workflow : answer.isArray() ? answer : answer.path("workflows")) {
      table.row(
          workflow.path("name").asText(),
          shortHash(workflow),
          workflow.path("updated_at").asText(""));
    }
    context.print(table, "no workflows; store one with `baton workflows push FILE`");
  }

  @Command(name = "show", description = "Print a stored definition as JSON.")
  void show(
      @Parameters(paramLabel = "NAME[@HASH]", description = "Without a hash: the newest version.")
          String name,
      @Option(
              names = "--source",
              description = "Print the text as it was pushed, with comments, instead.")
          boolean source) {
    String path =
        "/workflows/" + UrlQueryBuilder.encode(name).replace("%40", "@").replace("%3A", ":");
    if (source) {
      source(path + "/source");
    } else {
      context.printJson(context.client().get(path));
    }
  }

  /**
   * Copies the text byte for byte into a file or another program; on a terminal, control characters
   * are escaped.
   */
  private void source(String path) {
    PrintStream out =
        context.terminal().outIsTerminal()
            ? context.terminal().out()
            : context.terminal().trustedOut();
    try (InputStream text =
        context.client().stream(path, "*/*", Map.of(), OrchestratorRestClient.REQUEST)) {
      out.write(text.readNBytes(LARGEST));
      out.flush();
    } catch (IOException e) {
      throw CliException.of(
          CliExitCode.UNREACHABLE,
          context.client().server() + " closed the connection early: " + e.getMessage(),
          e);
    }
    context.checkReader();
  }

  @Command(
      name = "limit",
      description = "Show how many runs of a workflow may be active; with a number, override it.")
  void limit(
      @Parameters(paramLabel = "NAME", description = "Name of a stored workflow.") String name,
      @Parameters(
              arity = "0..1",
              paramLabel = "RUNS",
              description = "The new limit. 0: no more runs start.")
          @Nullable Integer runs,
      @Option(
              names = "--clear",
              description = "Remove the override: the definition's limit applies again.")
          boolean clear) {
    if (runs != null && clear) {
      throw CliException.usage("give a number or --clear, not both");
    }
    String path = "/workflows/" + UrlQueryBuilder.encode(name) + "/limit";
    JsonNode answer;
    if (clear) {
      answer = context.client().delete(path, OrchestratorRestClient.REQUEST);
    } else if (runs == null) {
      answer = context.client().get(path);
    } else {
      answer = context.client().put(path, Json.mapper().createObjectNode().put("limit", runs));
    }
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    String from =
        answer.hasNonNull("override")
            ? " (set by an operator; the definition's is %s)"
                .formatted(answer.path("defined").asText("nothing"))
            : "";
    context.print(
        "%s: limit %s%s, %s active, %s queued"
            .formatted(
                answer.path("workflow").asText(),
                answer.path("limit").asText("none"),
                from,
                answer.path("under_way").asText(),
                answer.path("queued").asText()));
  }

  @Command(name = "push", description = "Store a definition.")
  void push(@Parameters(paramLabel = "FILE", description = "YAML, JSON or DOT.") Path file) {
    JsonNode answer = new DefinitionFile(file).push(context.client());
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    context.print(
        "%s %s (%s)"
            .formatted(
                answer.path("name").asText(),
                answer.path("created").asBoolean() ? "stored" : "already stored",
                shortHash(answer)));
    warnings(context, file, answer);
  }

  @Command(name = "validate", description = "Validate a definition without storing it.")
  void validate(@Parameters(paramLabel = "FILE", description = "YAML, JSON or DOT.") Path file) {
    JsonNode answer = new DefinitionFile(file).validate(context.client());
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    context.print(file + " is valid");
    warnings(context, file, answer);
  }

  private static void warnings(CommandContext context, Path file, JsonNode answer) {
    for (JsonNode warning : answer.path("warnings")) {
      String text = warning.isTextual() ? warning.textValue() : warning.path("message").asText();
      String at =
          warning.path("line").asInt(0) > 0
              ? ":%d:%d".formatted(warning.path("line").asInt(), warning.path("column").asInt())
              : "";
      context.terminal().err().println(file + at + ": warning: " + text);
    }
  }

  private static String shortHash(JsonNode workflow) {
    String hash = workflow.path("hash").asText("");
    return hash.length() > 19 ? hash.substring(0, 19) : hash;
  }
}
