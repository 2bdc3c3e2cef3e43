/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.checkpoint.CheckpointFileComparer;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.run.RunPrinter;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton diff A B}. */
@Command(
    name = "diff",
    description =
        "Compare two runs: their steps, their outputs, and the files of their newest checkpoints.",
    footer = {
      "%nExamples:",
      "  baton diff 7c9e2f 4v8k2m",
      "  baton diff 7c9e2f 4v8k2m -o json | jq '.steps[] | select(.same | not)'"
    })
public final class DiffRunsCommand implements Runnable {
  private final CommandContext context;

  @Parameters(
      index = "0",
      paramLabel = "A",
      description = "A run's id, or its last six characters.")
  private String first = "";

  @Parameters(index = "1", paramLabel = "B", description = "The run to compare it with.")
  private String second = "";

  @Option(
      names = "--times",
      description = "Also list files that differ only in their modification time.")
  private boolean times;

  public DiffRunsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    JsonNode a = RunRef.parse(first).fetch(context.client());
    JsonNode b = RunRef.parse(second).fetch(context.client());
    ObjectNode result = Json.mapper().createObjectNode();
    result.put("a", a.path("id").asText()).put("b", b.path("id").asText());
    result.put("same_definition", a.path("definition_hash").equals(b.path("definition_hash")));
    result.put("same_status", a.path("status").equals(b.path("status")));
    result.put("same_output", a.path("output").equals(b.path("output")));
    ArrayNode steps = result.putArray("steps");
    steps(a).forEach((path, step) -> compare(steps, path, step, steps(b).get(path)));
    steps(b)
        .forEach(
            (path, step) -> {
              if (!steps(a).containsKey(path)) {
                compare(steps, path, null, step);
              }
            });
    if (!context.json()) {
      print(a, b, steps);
    }
    files(a, b).ifPresent(files -> result.set("files", files));
    if (context.json()) {
      context.printJson(result);
    }
  }

  private static Map<String, JsonNode> steps(JsonNode run) {
    Map<String, JsonNode> steps = new LinkedHashMap<>();
    run.path("steps").forEach(step -> steps.put(step.path("step").asText(), step));
    return steps;
  }

  private static void compare(
      ArrayNode into, String path, @Nullable JsonNode a, @Nullable JsonNode b) {
    List<String> differing = new ArrayList<>();
    if (a == null || b == null) {
      differing.add(a == null ? "only in B" : "only in A");
    } else {
      for (String aspect : List.of("kind", "status", "visit", "output", "error")) {
        if (!a.path(aspect).equals(b.path(aspect))) {
          differing.add(aspect);
        }
      }
      if (!a.path("checkpoint").path("digest").equals(b.path("checkpoint").path("digest"))) {
        differing.add("files");
      }
    }
    ObjectNode step = into.addObject().put("step", path).put("same", differing.isEmpty());
    differing.forEach(step.putArray("differing")::add);
  }

  private void print(JsonNode a, JsonNode b, ArrayNode steps) {
    TextTable table = new TextTable("", "A", "B");
    for (String field : List.of("workflow", "definition_hash", "status", "output")) {
      if (!a.path(field).equals(b.path(field))) {
        table.row(field, shown(a.path(field)), shown(b.path(field)));
      }
    }
    context.print("A " + title(a));
    context.print("B " + title(b));
    if (!table.isEmpty()) {
      context.print("");
      table.print(context.terminal().out(), context.style());
    }
    context.print("");
    int same = 0;
    for (JsonNode step : steps) {
      if (step.path("same").asBoolean()) {
        same++;
      } else {
        List<String> words = new ArrayList<>();
        step.path("differing").forEach(word -> words.add(word.asText()));
        context.print("step " + step.path("step").asText() + ": " + String.join(", ", words));
      }
    }
    context.print(same + " of " + steps.size() + " steps are the same");
  }

  private static String title(JsonNode run) {
    return run.path("id").asText() + " (" + run.path("status").asText() + ")";
  }

  private static String shown(JsonNode value) {
    String text = value.isTextual() ? value.asText() : value.toString();
    return TextShortener.shorten(text, 60);
  }

  /** Compares the files of the newest checkpoints between steps; empty when a run has none. */
  private Optional<ObjectNode> files(JsonNode a, JsonNode b) {
    Optional<String> before = checkpoint(a.path("id").asText());
    Optional<String> after = checkpoint(b.path("id").asText());
    if (before.isEmpty() || after.isEmpty()) {
      if (!context.json()) {
        JsonNode without = before.isEmpty() ? a : b;
        context.print("files: run " + RunPrinter.displayId(without) + " has none");
      }
      return Optional.empty();
    }
    if (!context.json()) {
      context.print("");
    }
    CheckpointFileComparer diff = new CheckpointFileComparer(context, times);
    ObjectNode files = diff.compare(before.get(), after.get());
    if (!context.json()) {
      context.print("files: " + diff.summary());
    }
    return Optional.of(files);
  }

  private Optional<String> checkpoint(String run) {
    JsonNode all = context.client().get("/runs/" + run + "/checkpoints").path("checkpoints");
    for (JsonNode each : all) {
      // Only a saved checkpoint has a creation time.
      if (each.path("branch").asText("").isEmpty() && each.hasNonNull("created_at")) {
        return Optional.of(each.path("id").asText());
      }
    }
    // A fork without checkpoints of its own has those from which it started.
    JsonNode own =
        context
            .client()
            .get(UrlQueryBuilder.of("/checkpoints").with("run", run).with("limit", 1).toString())
            .path("checkpoints");
    return own.isEmpty() ? Optional.empty() : Optional.of(own.get(0).path("id").asText());
  }
}
