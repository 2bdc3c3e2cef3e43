/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The tools that take part. */
final class Tools implements AutoCloseable {
  private final List<SnapshotTool> tools = new ArrayList<>();

  private Tools() {}

  /** Those that were asked for and are present. */
  static Tools start(SnapshotOptions options, Path work, Consumer<String> progress)
      throws IOException, InterruptedException {
    Tools started = new Tools();
    try {
      for (String name : options.tools()) {
        if (Programs.onPath(name).isEmpty()) {
          progress.accept("there is no " + name + " here: it is not measured");
          continue;
        }
        started.tools.add(start(name, work.resolve(name)));
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

  private static SnapshotTool start(String name, Path folder)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    return switch (name) {
      case "tar" -> new TarTool(folder);
      case "restic" -> new ResticTool(folder);
      case "borg" -> new BorgTool(folder);
      default -> throw new IllegalArgumentException("there is no tool " + name);
    };
  }

  /** In the order of reports. */
  List<SnapshotTool> all() {
    return List.copyOf(tools);
  }

  /** Each round another one comes first. */
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
