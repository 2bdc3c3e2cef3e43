/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.FieldPrinter;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.TerminalStyle;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.trace.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints checkpoints as text. */
final class CheckpointPrinter {
  private static final int SHOWN = 10;

  private CheckpointPrinter() {}

  /**
   * @param ofOneRun whether all belong to one run; then the run column is omitted
   */
  static void list(CommandContext context, Iterable<JsonNode> checkpoints, boolean ofOneRun) {
    TerminalStyle style = context.style();
    Instant now = Instant.now();
    TextTable table =
        ofOneRun
            ? new TextTable("ID", "TRIGGER", "CREATED", "SIZE", "VERIFIED", "NOTE")
            : new TextTable("ID", "RUN", "TRIGGER", "CREATED", "SIZE", "VERIFIED", "NOTE");
    for (JsonNode each : checkpoints) {
      List<String> cells = new ArrayList<>();
      cells.add(each.path("id").asText());
      if (!ofOneRun) {
        cells.add(run(each));
      }
      cells.add(each.path("trigger").asText());
      cells.add(TimeFormatter.ago(TimeFormatter.instant(each.path("created_at")), now));
      cells.add(size(each.path("size_bytes").asLong(), style));
      cells.add(mark(each, style));
      cells.add(note(each));
      table.row(cells.toArray(String[]::new));
    }
    context.print(table, "no checkpoints");
  }

  private static String run(JsonNode checkpoint) {
    String run = checkpoint.path("run").asText();
    return RunId.isValid(run) ? RunId.display(run) : run;
  }

  private static String size(long bytes, TerminalStyle style) {
    String text = ByteSizeFormatter.of(bytes);
    return SizeClass.of(bytes) == SizeClass.SMALL ? text : style.attention(text);
  }

  private static String mark(JsonNode checkpoint, TerminalStyle style) {
    return switch (checkpoint.path("verification").asText()) {
      case "verified" -> style.good("✓");
      case "corrupt" -> style.bad("✗");
      default -> "–";
    };
  }

  private static String note(JsonNode checkpoint) {
    List<String> notes = new ArrayList<>();
    String problem = checkpoint.path("problem").asText("");
    if (!problem.isEmpty()) {
      notes.add(problem);
    }
    if (checkpoint.path("pinned").asBoolean()) {
      String reason = checkpoint.path("pin_reason").asText("");
      notes.add(reason.isEmpty() ? "pinned" : "pinned: " + reason);
    }
    String step = checkpoint.path("step").asText("");
    if (!step.isEmpty()) {
      notes.add(step);
    }
    return String.join("; ", notes);
  }

  /** Prints one checkpoint with its manifest. */
  static void detail(CommandContext context, JsonNode checkpoint) {
    TerminalStyle style = context.style();
    JsonNode manifest = checkpoint.path("manifest");
    JsonNode workspace = manifest.path("workspace");
    FieldPrinter fields = new FieldPrinter(context, 12);
    fields.add("checkpoint", checkpoint.path("id").asText());
    fields.add("run", checkpoint.path("run").asText());
    fields.add("project", checkpoint.path("project").asText());
    fields.add("step", checkpoint.path("step").asText(""));
    fields.add("trigger", checkpoint.path("trigger").asText());
    fields.add(
        "created",
        "%s (%s)"
            .formatted(
                checkpoint.path("created_at").asText(),
                TimeFormatter.ago(
                    TimeFormatter.instant(checkpoint.path("created_at")), Instant.now())));
    long size = checkpoint.path("size_bytes").asLong();
    fields.add(
        "files",
        "%,d, %s, of which %s were new; in %d packs of %s"
            .formatted(
                checkpoint.path("file_count").asLong(),
                ByteSizeFormatter.of(size),
                ByteSizeFormatter.of(checkpoint.path("stored_bytes").asLong()),
                checkpoint.path("pack_count").asInt(),
                ByteSizeFormatter.of(checkpoint.path("pack_bytes").asLong())));
    fields.add("size class", style.attention(SizeClass.note(size)));
    fields.add("tree", checkpoint.path("digest").asText());
    fields.add("verified", verified(checkpoint, style));
    fields.add("pinned", pin(checkpoint));
    fields.add("git", git(manifest.path("git")));
    fields.add("uncommitted", several(FieldPrinter.texts(workspace.path("uncommitted_files"))));
    fields.add("skipped", skipped(workspace));
    for (JsonNode process : manifest.path("agent").path("background")) {
      fields.add("background", background(process));
    }
    for (var part : manifest.path("contributors").properties()) {
      if (!part.getValue().path("status").asText().equals("ok")) {
        fields.add(
            "without",
            style.bad(part.getKey() + ": " + part.getValue().path("error").asText("failed")));
      }
    }
  }

  private static String verified(JsonNode checkpoint, TerminalStyle style) {
    String at = checkpoint.path("verified_at").asText("");
    return mark(checkpoint, style)
        + " "
        + checkpoint.path("verification").asText()
        + (at.isEmpty() ? "" : " at " + at)
        + (checkpoint.hasNonNull("problem") ? ": " + checkpoint.path("problem").asText() : "");
  }

  private static String pin(JsonNode checkpoint) {
    if (!checkpoint.path("pinned").asBoolean()) {
      return "";
    }
    String by = checkpoint.path("pinned_by").asText("");
    String reason = checkpoint.path("pin_reason").asText("");
    return "yes" + (by.isEmpty() ? "" : ", by " + by) + (reason.isEmpty() ? "" : ": " + reason);
  }

  private static String git(JsonNode git) {
    if (!git.isObject()) {
      return "";
    }
    return "%s at %s%s%s"
        .formatted(
            git.path("branch").asText("detached"),
            git.path("head").asText("no commit"),
            git.path("dirty").asBoolean() ? ", uncommitted changes" : "",
            git.path("has_stash").asBoolean() ? ", stash" : "");
  }

  private static String skipped(JsonNode workspace) {
    List<String> lines = new ArrayList<>();
    for (JsonNode each : workspace.path("skipped")) {
      lines.add(each.path("path").asText() + " (" + each.path("reason").asText() + ")");
    }
    long count = workspace.path("skipped_count").asLong(lines.size());
    return count == 0 ? "" : count + ": " + several(lines);
  }

  private static String background(JsonNode process) {
    String started = process.path("started_at").asText("");
    return "%s (in %s%s)"
        .formatted(
            process.path("command").asText(),
            process.path("folder").asText(),
            started.isEmpty() ? "" : ", since " + started);
  }

  private static String several(List<String> names) {
    return names.size() <= SHOWN
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, SHOWN)) + " and " + (names.size() - SHOWN) + " more";
  }
}
