/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.baton.JfrRecorder;
import dev.baton.benchmarks.capture.BatonTool;
import dev.baton.standalone.process.DetachedCommandFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The measured tools. */
final class SnapshotToolRegistry implements AutoCloseable {
  private final List<SnapshotTool> tools = new ArrayList<>();

  private SnapshotToolRegistry() {}

  /**
   * Starts the selected tools that are present.
   *
   * @param cache for files that Baton's processes keep between starts
   */
  static SnapshotToolRegistry start(
      SnapshotOptions options, Path work, Path cache, Consumer<String> progress)
      throws IOException, InterruptedException {
    SnapshotToolRegistry started = new SnapshotToolRegistry();
    try {
      for (String name : options.tools()) {
        if (!name.equals("baton") && DetachedCommandFactory.onPath(name).isEmpty()) {
          progress.accept("not installed: " + name + " ; it is not measured");
          continue;
        }
        Path folder = Files.createDirectories(work.resolve(name));
        started.tools.add(
            switch (name) {
              case "baton" -> BatonTool.start(folder, cache, options.environment(), progress);
              case "tar" -> new TarTool(folder);
              case "restic" -> new ResticTool(folder);
              case "borg" -> new BorgTool(folder);
              default -> throw new IllegalArgumentException("unknown tool " + name);
            });
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      started.close();
      throw e;
    }
    if (started.tools.isEmpty()) {
      throw new IOException("none of the tools is here: " + String.join(", ", options.tools()));
    }
    return started;
  }

  /** Starts a flight recording of each of Baton's Java processes; none without a folder. */
  JfrRecorder record(@Nullable Path profile) throws IOException, InterruptedException {
    for (SnapshotTool tool : tools) {
      if (profile != null && tool instanceof BatonTool baton) {
        return baton.record(profile);
      }
    }
    return JfrRecorder.start(null, null);
  }

  /** Returns all tools in the order of reports. */
  List<SnapshotTool> all() {
    return List.copyOf(tools);
  }

  /** Returns the tools in the order of a round: each round starts with another one. */
  List<SnapshotTool> inOrderOf(int round) {
    List<SnapshotTool> order = new ArrayList<>(tools);
    Collections.rotate(order, 1 - round);
    return order;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (SnapshotTool tool : tools) {
      try {
        tool.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
