/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.Query;
import dev.baton.cli.command.Context;
import dev.baton.cli.terminal.Table;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton workflows}: alone, the list. */
@Command(name = "workflows", description = "List, show, store and check workflow definitions.")
public final class WorkflowsCommand implements Runnable {
  private final Context context;

  public WorkflowsCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    list();
  }

  @Command(name = "list", description = "The stored workflows.")
  void list() {
    JsonNode answer = context.client().get("/workflows");
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    Table table = new Table("NAME", "HASH", "UPDATED");
    for (JsonNode workflow : answer.isArray() ? answer : answer.path("workflows")) {
      table.row(
          workflow.path("name").asText(),
          shortHash(workflow),
          workflow.path("updated_at").asText(""));
    }
    if (table.isEmpty()) {
      context.print("no workflows; store one with `baton workflows push FILE`");
    } else {
      table.print(context.terminal().out(), context.style());
    }
  }

  @Command(name = "show", description = "A stored definition, as JSON.")
  void show(
      @Parameters(paramLabel = "NAME[@HASH]", description = "Without a hash: the newest.")
          String name) {
    context.printJson(
        context
            .client()
            .get("/workflows/" + Query.encode(name).replace("%40", "@").replace("%3A", ":")));
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
                answer.path("created").asBoolean() ? "stored" : "was stored already",
                shortHash(answer)));
    warnings(context, file, answer);
  }

  @Command(name = "validate", description = "Have a definition checked, without storing it.")
  void validate(@Parameters(paramLabel = "FILE", description = "YAML, JSON or DOT.") Path file) {
    JsonNode answer = new DefinitionFile(file).validate(context.client());
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    context.print(file + " is valid");
    warnings(context, file, answer);
  }

  private static void warnings(Context context, Path file, JsonNode answer) {
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
