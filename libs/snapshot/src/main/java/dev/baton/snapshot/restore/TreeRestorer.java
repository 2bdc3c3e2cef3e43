/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.files.StagedTargetDirectory;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeReader;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Restores snapshots. Thread-safe, unless two restores into the same target run concurrently. */
public final class TreeRestorer {
  /**
   * A loader mostly waits for the network while it fetches, but needs a processor while it
   * decompresses.
   */
  private static final int LOADERS = 4;

  private TreeRestorer() {}

  /**
   * Writes the tree to a new directory next to the target, verifies it, and only then replaces the
   * target by a rename. The previous target is replaced completely.
   *
   * @param target must not be a mount point (it is renamed); missing parents are created
   * @throws dev.baton.snapshot.SnapshotException if the snapshot is hostile, damaged or too large;
   *     the target is unchanged
   * @throws IOException if reading or writing fails; the target is unchanged
   */
  public static RestoredTree restore(
      Snapshot snapshot, PackSource source, Path target, RestoreOptions options)
      throws IOException, InterruptedException {
    RestoreBudget budget = new RestoreBudget(options.limits(), snapshot);
    PackReader packs = PackReader.open(snapshot.packs(), source);
    AttributeLossCollector degraded = new AttributeLossCollector();
    DeferredModeSetter lateModes = new DeferredModeSetter();
    try (CachingChunkReader chunks = new CachingChunkReader(packs)) {
      NodeReader nodes = new NodeReader(chunks);
      NodeEntry.Directory root = nodes.root(snapshot.root());
      try (StagedTargetDirectory fresh = StagedTargetDirectory.beside(target)) {
        RestoredFileWriter files =
            new RestoredFileWriter(options, fresh.umask(), degraded, lateModes);
        write(root, packs, chunks, fresh, files, budget, options);
        CompositeChunkRecorder composites = new CompositeChunkRecorder(chunks);
        DirState state = new RestoreVerifier(fresh, composites, options, degraded).verify(root);
        lateModes.set(fresh.directory());
        List<String> leftovers = fresh.place();
        return new RestoredTree(
            snapshot.root(),
            budget.bytes(),
            budget.files(),
            degraded.lines(),
            degraded.count(),
            leftovers,
            state,
            packs.table(),
            composites.parts());
      }
    }
  }

  private static void write(
      NodeEntry.Directory root,
      PackReader packs,
      CachingChunkReader chunks,
      StagedTargetDirectory fresh,
      RestoredFileWriter files,
      RestoreBudget budget,
      RestoreOptions options)
      throws IOException, InterruptedException {
    RestorePipeline pipeline = new RestorePipeline();
    RestoreProgressCounter written = new RestoreProgressCounter(options.progress());
    try (DirectoryFinalizer ends = new DirectoryFinalizer(files)) {
      HardLinkRestorer links;
      try (RestoreWorkers crew = new RestoreWorkers(pipeline)) {
        crew.start(LOADERS, "load", () -> new BlockLoader(pipeline, packs).run());
        WrittenChunkReader writtenChunks = new WrittenChunkReader(fresh.directory(), chunks);
        crew.start(
            writers(),
            "write",
            () -> new SegmentWriter(pipeline, files, ends, writtenChunks, written).run());
        SegmentPlanner planner = new SegmentPlanner(pipeline, packs, chunks, ends);
        links =
            new TreeWriter(new NodeReader(chunks), files, planner, ends, budget)
                .walk(root, fresh.directory());
        pipeline.await();
      }
      links.make(fresh.directory());
      ends.endAwaiting(fresh.directory());
      written.addLinks(links.count());
    }
  }

  private static int writers() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 8);
  }
}
