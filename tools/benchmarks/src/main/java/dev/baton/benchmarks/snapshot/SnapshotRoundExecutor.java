/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.MachineCpuSample;
import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.snapshot.SnapshotTool.Restoration;
import dev.baton.benchmarks.tree.TreeMutator;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tools through their phases and collects the cost of each. Restored trees stay until the
 * end if there is enough space: some file systems (ext4 without a journal) do not reuse the inodes
 * of files deleted within the last minutes, and creating files then takes longer because of the
 * search. That would affect the next tool.
 */
final class SnapshotRoundExecutor implements AutoCloseable {
  private static final int TEN = 10;

  private final Path tree;
  private final Path work;
  private final int percent;
  private final boolean keeps;
  private final Consumer<String> progress;
  private final Map<String, Figures> figures = new HashMap<>();
  private final List<Path> restored = new ArrayList<>();

  /**
   * @param tree is changed
   * @param work for restored trees
   * @param percent number of files changed in {@link SnapshotPhase#PERCENT}
   * @param keeps whether there is enough space for all restored trees; else each round's is deleted
   *     at its end
   */
  SnapshotRoundExecutor(
      Path tree, Path work, int percent, boolean keeps, Consumer<String> progress) {
    this.tree = tree;
    this.work = work;
    this.percent = percent;
    this.keeps = keeps;
    this.progress = progress;
  }

  /** Runs all phases once, in the order given. */
  void round(int round, List<SnapshotTool> tools) throws IOException, InterruptedException {
    for (SnapshotTool tool : tools) {
      tool.begin(tree);
      figures.computeIfAbsent(tool.name(), name -> new Figures()).begin();
    }
    for (SnapshotPhase phase : SnapshotPhase.values()) {
      switch (phase) {
        case FIRST, UNCHANGED, RESTORE -> {}
        case PERCENT -> TreeMutator.apply(tree, percent, 2L * round);
        case TEN -> TreeMutator.apply(tree, TEN, 2L * round + 1);
      }
      for (SnapshotTool tool : tools) {
        turn(round, phase, tool, of(tool.name()));
      }
    }
    for (SnapshotTool tool : tools) {
      of(tool.name()).end();
      tool.end();
    }
    if (!keeps) {
      close();
    }
  }

  /** Deletes the restored trees. */
  @Override
  public void close() throws IOException {
    if (!restored.isEmpty()) {
      progress.accept("deleting " + restored.size() + " restored trees");
    }
    for (Path target : restored) {
      DirectoryTreeDeleter.delete(target);
    }
    restored.clear();
  }

  ToolResult of(SnapshotTool tool) {
    Figures kept = of(tool.name());
    return new ToolResult(tool.version(), kept.differences, kept.rounds);
  }

  private void turn(int round, SnapshotPhase phase, SnapshotTool tool, Figures kept)
      throws IOException, InterruptedException {
    settle();
    MachineCpuSample start = MachineCpuSample.now();
    PhaseCost cost =
        phase == SnapshotPhase.RESTORE ? restore(round, tool, kept) : tool.capture(tree);
    // The comparison with rsync is not the tool's work, and its CPU time is included in this
    // process's children: so the share is taken from a restore without a comparison.
    OptionalDouble elsewhere =
        phase == SnapshotPhase.RESTORE
            ? OptionalDouble.empty()
            : MachineCpuSample.now().elsewhere(start, Math.round(cost.cpuS() * 1e6));
    kept.add(phase, cost, elsewhere);
    if (phase == SnapshotPhase.FIRST) {
      kept.firstBytes = tool.storedBytes();
    } else if (phase == SnapshotPhase.TEN) {
      kept.storedBytes = tool.storedBytes();
    }
    progress.accept(
        String.format(
            Locale.ROOT,
            "round %d %-9s %-6s %6.2f s, %6.2f s of CPU time, %,d MB",
            round,
            phase.label(),
            tool.name(),
            cost.wallS(),
            cost.cpuS(),
            cost.peakRssBytes() >> 20));
    MachineCpuSample.remark(elsewhere.orElse(0)).ifPresent(progress);
  }

  private PhaseCost restore(int round, SnapshotTool tool, Figures kept)
      throws IOException, InterruptedException {
    Path target = Files.createDirectory(work.resolve("restored-" + round + "-" + tool.name()));
    restored.add(target);
    Restoration restoration = tool.restore(tree, target);
    if (kept.rounds.isEmpty()) {
      kept.differences =
          RsyncTreeComparator.differences(tree, restoration.tree(), work.resolve("log"));
      tell(tool, kept.differences);
    }
    return restoration.cost();
  }

  private void tell(SnapshotTool tool, @Nullable List<String> differences) throws IOException {
    if (differences == null || differences.isEmpty()) {
      return;
    }
    String found =
        "what "
            + tool.name()
            + " restored a tree that differs from the captured one; rsync reports: "
            + String.join("; ", differences.subList(0, Math.min(5, differences.size())));
    if (tool.name().equals("baton")) {
      throw new IOException(found);
    }
    progress.accept(found);
  }

  /**
   * Prevents side effects on the next tool: forces the tool's writes to disk, and reads the tree
   * into the page cache again, since borg evicts what it has read ({@code posix_fadvise}, {@code
   * DONTNEED}).
   */
  private void settle() throws IOException, InterruptedException {
    Path log = work.resolve("log");
    new TimedCommand(List.of("sync", "-f", work.toString()), Map.of(), work, log).run();
    FileIoFloor.read(tree, log);
  }

  private Figures of(String tool) {
    return Objects.requireNonNull(figures.get(tool), tool);
  }

  private static final class Figures {
    private final List<SnapshotRoundResult> rounds = new ArrayList<>();
    private final Map<SnapshotPhase, PhaseCost> costs = new EnumMap<>(SnapshotPhase.class);
    private @Nullable List<String> differences;
    private @Nullable Double elsewhere;
    private long firstBytes;
    private long storedBytes;

    void begin() {
      costs.clear();
      elsewhere = null;
    }

    void add(SnapshotPhase phase, PhaseCost cost, OptionalDouble share) {
      costs.put(phase, cost);
      if (share.isPresent()) {
        elsewhere =
            elsewhere == null ? share.getAsDouble() : Math.max(elsewhere, share.getAsDouble());
      }
    }

    void end() {
      rounds.add(new SnapshotRoundResult(costs, firstBytes, storedBytes, elsewhere));
    }
  }
}
