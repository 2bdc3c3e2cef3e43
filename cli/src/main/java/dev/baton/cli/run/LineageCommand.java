/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CommandContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton lineage ID}. */
@Command(
    name = "lineage",
    description = "Show the tree of forks that a run belongs to.",
    footer = {"%nExamples:", "  baton lineage 4v8k2m"})
public final class LineageCommand implements Runnable {
  /** Maximum indentation depth; deeper forks are printed with the same indentation. */
  private static final int DEEPEST = 40;

  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  public LineageCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    RunRef asked = RunRef.parse(id);
    JsonNode lineage = context.client().get("/runs/" + asked.text() + "/lineage");
    if (context.json()) {
      context.printJson(lineage);
      return;
    }
    Set<String> known = new HashSet<>();
    lineage.path("runs").forEach(run -> known.add(run.path("id").asText()));
    Map<String, List<JsonNode>> forks = new HashMap<>();
    List<JsonNode> roots = new ArrayList<>();
    for (JsonNode run : lineage.path("runs")) {
      String parent = run.path("forked_from").path("run").asText("");
      if (known.contains(parent)) {
        forks.computeIfAbsent(parent, key -> new ArrayList<>()).add(run);
      } else {
        roots.add(run);
      }
    }
    roots.forEach(root -> print(root, "", "", forks, asked.text(), 0));
    if (lineage.path("truncated").asBoolean()) {
      context.print(context.style().attention("more forks exist"));
    }
  }

  private void print(
      JsonNode run,
      String mark,
      String indent,
      Map<String, List<JsonNode>> forks,
      String asked,
      int depth) {
    context.print(mark + line(run, asked, mark.isEmpty()));
    List<JsonNode> children = forks.getOrDefault(run.path("id").asText(), List.of());
    for (int i = 0; i < children.size(); i++) {
      boolean last = i == children.size() - 1;
      String below = depth < DEEPEST ? indent + (last ? "    " : "│   ") : indent;
      print(children.get(i), indent + (last ? "└── " : "├── "), below, forks, asked, depth + 1);
    }
  }

  private String line(JsonNode run, String asked, boolean root) {
    JsonNode from = run.path("forked_from");
    String at = from.path("step").asText("");
    String origin = "";
    if (from.isObject()) {
      origin =
          (root ? ", forked from " + from.path("run").asText() + ", which was deleted" : "")
              + (at.isEmpty() ? "" : ", from step " + at);
    }
    String line =
        "%s  %s  %s%s"
            .formatted(
                RunPrinter.displayId(run),
                run.path("workflow").asText("-"),
                context.style().status(run.path("status").asText()),
                origin);
    return run.path("id").asText().endsWith(asked) ? line + context.style().dim("  ◂") : line;
  }
}
