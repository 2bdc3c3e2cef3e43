/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.baton.JfrRecorder;
import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.tree.TreeCache;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs all tools on the same tree in the same states: in a round, each phase is done by all tools
 * before the next phase, and the order of the tools changes from round to round.
 */
public final class SnapshotBenchmark {
  // The copy, four archives of tar, the other tools' stores.
  private static final int COPIES = 5;

  private final SnapshotOptions options;
  private final Path work;
  private final Path cache;
  private final Path log;
  private final Consumer<String> progress;

  /**
   * @param work for copies and stores; must exist, is not deleted
   * @param cache where generated trees and native libraries are kept between measurements
   * @param progress receives one line per event
   */
  public SnapshotBenchmark(
      SnapshotOptions options, Path work, Path cache, Consumer<String> progress) {
    this.options = options;
    this.work = work;
    this.cache = cache;
    this.log = work.resolve("log");
    this.progress = progress;
  }

  /**
   * Blocks until all rounds are done and all started processes have stopped.
   *
   * @throws IOException when a tool fails, or Baton's restored tree differs from the captured one
   */
  public SnapshotResult run() throws IOException, InterruptedException {
    Path tree = work.resolve("tree");
    try {
      Path source = source();
      boolean keeps = hasRoomForAll(DiskUsage.of(source).bytes());
      copy(source, tree);
      return measure(tree, keeps);
    } finally {
      // After a failure only logs are left.
      DirectoryTreeDeleter.delete(tree);
    }
  }

  private SnapshotResult measure(Path tree, boolean keeps)
      throws IOException, InterruptedException {
    DiskUsage content = DiskUsage.of(tree);
    progress.accept(
        String.format(
            Locale.ROOT,
            "a tree of %,d files in %,d folders, %,d MB",
            content.files(),
            content.folders(),
            content.bytes() >> 20));
    int percent = (int) Math.max(1, content.files() / 100);
    try (SnapshotRoundExecutor turns =
            new SnapshotRoundExecutor(tree, work, percent, keeps, progress);
        SnapshotToolRegistry tools = SnapshotToolRegistry.start(options, work, cache, progress);
        JfrRecorder _ = tools.record(options.profile())) {
      List<FileIoFloor> floors = new ArrayList<>();
      FileIoFloor.read(tree, log);
      for (int round = 1; round <= options.rounds(); round++) {
        floors.add(FileIoFloor.measure(tree, log));
        progress.accept("round " + round + " " + describe(floors.getLast()));
        turns.round(round, tools.inOrderOf(round));
      }
      Map<String, ToolResult> measured = new LinkedHashMap<>();
      for (SnapshotTool tool : tools.all()) {
        measured.put(tool.name(), turns.of(tool));
      }
      return new SnapshotResult(
          Instant.now().truncatedTo(ChronoUnit.SECONDS),
          MachineDescription.line(),
          options.given() == null ? "generated, seed " + options.shape().seed() : "given",
          content,
          percent,
          floors,
          measured);
    }
  }

  private Path source() throws IOException, InterruptedException {
    if (options.given() == null) {
      return TreeCache.get(cache.resolve("benchmarks/trees"), options.shape(), progress);
    }
    if (!Files.isDirectory(options.given())) {
      throw new IllegalArgumentException("--tree " + options.given() + " is not a directory");
    }
    return options.given().toRealPath();
  }

  /**
   * Whether the restored trees of all rounds can stay until the end.
   *
   * @throws IOException when there is not enough space for one round
   */
  private boolean hasRoomForAll(long bytes) throws IOException {
    int tools = options.tools().size();
    long needed = (COPIES + tools) * bytes;
    long free = Files.getFileStore(work).getUsableSpace();
    if (free < needed) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%,d MB are free in %s, about %,d are required; give another folder with --work",
              free >> 20,
              work,
              needed >> 20));
    }
    long all = (COPIES + (long) options.rounds() * tools) * bytes;
    if (free < all) {
      progress.accept(
          String.format(
              Locale.ROOT,
              "%,d MB are free in %s: with %,d, deletions would not slow down any restore"
                  + " before it",
              free >> 20,
              work,
              all >> 20));
    }
    return free >= all;
  }

  private void copy(Path source, Path tree) throws IOException, InterruptedException {
    progress.accept("copying " + source);
    new TimedCommand(List.of("cp", "-a", source.toString(), tree.toString()), Map.of(), work, log)
        .run();
    level(tree);
  }

  /** Deletes what Baton excludes from its cuts, so that all tools process the same files. */
  private void level(Path tree) throws IOException, InterruptedException {
    String script =
        "find . -type d \\( -name node_modules -o -name __pycache__ -o -name target -o -name .venv"
            + " \\) -prune -exec rm -rf {} + && find . -name .batonignore -exec rm -rf {} +";
    new TimedCommand(List.of("sh", "-c", script), Map.of(), tree, log).run();
  }

  private static String describe(FileIoFloor floor) {
    return String.format(
        Locale.ROOT,
        "floor: stat %.2f s, read %.2f s, zstd %.2f s",
        floor.statS(),
        floor.readS(),
        floor.zstdS());
  }
}
