/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.files.FreshTarget;
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.format.NodeReader;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Restores snapshots. Thread-safe, as long as no two restores into the same target run at once. */
public final class TreeRestore {
  /** Fetching waits most of the time; unpacking does not. */
  private static final int LOADERS = 4;

  private TreeRestore() {}

  /**
   * Writes the tree into a fresh directory beside the target, verifies it, and only then renames it
   * in. Whatever was at the target is replaced whole.
   *
   * @param target must not be a mount point (it is renamed); its parents are made
   * @throws dev.baton.snapshot.SnapshotException if the snapshot is hostile, damaged or too large;
   *     the target is as before
   * @throws IOException if reading or writing fails; the target is as before
   */
  public static RestoredTree restore(
      Snapshot snapshot, PackSource source, Path target, RestoreOptions options)
      throws IOException, InterruptedException {
    Budget budget = new Budget(options.limits(), snapshot);
    PackReader packs = PackReader.open(snapshot.packs(), source);
    Degraded degraded = new Degraded();
    LateModes lateModes = new LateModes();
    try (NodeChunks chunks = new NodeChunks(packs)) {
      NodeReader nodes = new NodeReader(chunks);
      Entry.Directory root = nodes.root(snapshot.root());
      try (FreshTarget fresh = FreshTarget.beside(target)) {
        FileWriter files = new FileWriter(options, fresh.umask(), degraded, lateModes);
        write(root, packs, chunks, fresh, files, budget, options);
        CompositeChunks composites = new CompositeChunks(chunks);
        DirState state = new Verification(fresh, composites, options, degraded).verify(root);
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
      Entry.Directory root,
      PackReader packs,
      NodeChunks chunks,
      FreshTarget fresh,
      FileWriter files,
      Budget budget,
      RestoreOptions options)
      throws IOException, InterruptedException {
    Pipeline pipeline = new Pipeline();
    Written written = new Written(options.progress());
    try (DirectoryEnd ends = new DirectoryEnd(files)) {
      HardLinks links;
      try (Crew crew = new Crew(pipeline)) {
        crew.start(LOADERS, "load", () -> new BlockLoader(pipeline, packs).run());
        WrittenChunks writtenChunks = new WrittenChunks(fresh.directory(), chunks);
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
