/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import dev.baton.snapshot.diff.TreeChange;
import dev.baton.snapshot.diff.TreeDiff;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.restore.SnapshotReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Compares the files of two checkpoints and prints a line for each path that differs. For a single
 * use.
 */
public final class CheckpointFileComparer {
  /**
   * Maximum number of changes in JSON output, which is held in memory; text output is printed as it
   * is found.
   */
  private static final int MOST_IN_JSON = 1_000_000;

  private final CommandContext context;
  private final boolean times;
  private final ArrayNode changes = Json.mapper().createArrayNode();
  private int added;
  private int removed;
  private int changed;

  /**
   * @param times also report files that differ only in their modification time
   */
  public CheckpointFileComparer(CommandContext context, boolean times) {
    this.context = context;
    this.times = times;
  }

  /**
   * Compares two checkpoints, given by their full ids.
   *
   * @return the JSON output: counts and changes
   */
  public ObjectNode compare(String before, String after) {
    return compare(new CheckpointRef(before, null), new CheckpointRef(after, null));
  }

  ObjectNode compare(CheckpointRef first, CheckpointRef second) {
    CheckpointDownload before = CheckpointDownload.open(context.client(), first);
    CheckpointDownload after = CheckpointDownload.open(context.client(), second);
    FileWork.run("the comparison", () -> compare(before, after));
    ObjectNode result =
        Json.mapper()
            .createObjectNode()
            .put("before", before.id())
            .put("after", after.id())
            .put("added", added)
            .put("removed", removed)
            .put("changed", changed);
    result.set("changes", changes);
    return result;
  }

  /** Returns the summary for text output. */
  public String summary() {
    return added + removed + changed == 0
        ? "no difference"
        : "%d added, %d removed, %d changed".formatted(added, removed, changed);
  }

  private void compare(CheckpointDownload before, CheckpointDownload after)
      throws IOException, InterruptedException {
    try (SnapshotReader from =
            SnapshotReader.open(before.snapshot(), before.packs(context.client()));
        SnapshotReader to = SnapshotReader.open(after.snapshot(), after.packs(context.client()))) {
      TreeDiff.diff(from, to, this::accept);
    }
  }

  private void accept(TreeChange change) {
    List<String> what = new ArrayList<>();
    String kind;
    switch (change) {
      case TreeChange.Added _ -> {
        kind = "added";
        added++;
      }
      case TreeChange.Removed _ -> {
        kind = "removed";
        removed++;
      }
      case TreeChange.Changed both -> {
        if (!times && both.what().equals(Set.of(TreeChange.Aspect.MTIME))) {
          return;
        }
        both.what().stream()
            .sorted()
            .forEach(aspect -> what.add(aspect.name().toLowerCase(Locale.ROOT)));
        kind = "changed";
        changed++;
      }
    }
    // The rest of a name after a line feed must not look like a line of this output.
    String path = change.path().isEmpty() ? "." : RawName.display(change.path());
    if (context.json()) {
      keep(kind, path, what);
    } else {
      context.print(mark(kind) + " " + oneLine(path) + words(what));
    }
  }

  private void keep(String kind, String path, List<String> what) {
    if (changes.size() < MOST_IN_JSON) {
      ObjectNode change = changes.addObject().put("path", path).put("change", kind);
      if (!what.isEmpty()) {
        what.forEach(change.putArray("what")::add);
      }
    }
  }

  private String mark(String kind) {
    return switch (kind) {
      case "added" -> context.style().good("A");
      case "removed" -> context.style().bad("D");
      default -> context.style().attention("M");
    };
  }

  private static String words(List<String> what) {
    return what.isEmpty() ? "" : " (" + String.join(", ", what) + ")";
  }

  private static String oneLine(String path) {
    return path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }
}
