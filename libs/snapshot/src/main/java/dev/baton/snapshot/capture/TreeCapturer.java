/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.ScanResult;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Captures one tree again and again, and remembers from one time to the next what is where: which
 * files are unchanged, and in which packs their chunks are. Not thread-safe.
 */
public final class TreeCapturer {
  private static final int MAX_ATTEMPTS = 4;

  private TreeScanner scanner;
  private @Nullable DirState seen;
  private @Nullable Stored stored;
  private ChunkTable table = new ChunkTable();
  private CompositeChunkRegistry composites = new CompositeChunkRegistry();

  /** Not after a failure: what was written anew then would be written once more. */
  private boolean mayTidy = true;

  /** What the store has. */
  private record Stored(DirState state, Snapshot snapshot) {}

  public TreeCapturer(ExcludePolicy excludes) {
    scanner = TreeScanner.leavingOut(excludes);
  }

  /**
   * Leaves out something else from now on.
   *
   * @param seenAs the path under which programs see the tree, which git's absolute paths have; null
   *     for the one that it is at
   */
  public void leaveOut(ExcludePolicy excludes, @Nullable Path seenAs) {
    TreeScanner plain = TreeScanner.leavingOut(excludes);
    scanner = seenAs == null ? plain : plain.seenAs(seenAs);
  }

  /**
   * The tree as it is now, read as far as it has changed.
   *
   * @throws IOException if the root cannot be read
   */
  public DirState read(Path root) throws IOException, InterruptedException {
    return attempt(root, scan -> readOnce(root, scan)).state();
  }

  /** Its digest, without storing anything. */
  public Hash digest(Path root) throws IOException, InterruptedException {
    return attempt(root, scan -> readOnce(root, scan)).digest();
  }

  private ScannedTreeReader.Read readOnce(Path root, ScanResult scan)
      throws IOException, InterruptedException {
    return new ScannedTreeReader(
            root, CloseableChunkSink::nowhere, content -> true, node -> true, composites)
        .read(scan.root(), null);
  }

  /**
   * Stores the tree as it is now. When this returns, all its chunks are in packs that were put.
   *
   * @throws IOException if the root cannot be read, or a pack cannot be put
   */
  public CapturedTree capture(Path root, PackStore store) throws IOException, InterruptedException {
    return attempt(root, scan -> captureOnce(root, scan, store));
  }

  private CapturedTree captureOnce(Path root, ScanResult scan, PackStore store)
      throws IOException, InterruptedException {
    Stored before = stored;
    if (before != null && before.state() == scan.root()) {
      return new CapturedTree(before.snapshot(), 0, 0, scan.skipped(), scan.leftOut());
    }
    ChunkTable start = before != null && mayTidy ? tidied(before) : table;
    boolean tidying = start != table;
    mayTidy = false;
    KnownChunkIndex known = new KnownChunkIndex(start);
    PackUploader shipment = new PackUploader(store, known);
    ScannedTreeReader.Read read;
    boolean done = false;
    try {
      read =
          new ScannedTreeReader(
                  root,
                  // What is stored once more must not be found where it is.
                  () -> new DeduplicatingPacker(store, known, shipment, !tidying),
                  content -> known.isStored(content, composites),
                  node -> known.isStored(node, composites),
                  composites)
              .read(scan.root(), before == null || tidying ? null : before.state());
      shipment.finish();
      done = true;
    } finally {
      if (!done) {
        shipment.abandon();
        keep(start);
      }
    }
    seen = read.state();
    StoredTreeIndex tree = StoredTreeIndex.of(read.state(), read.digest(), start, composites);
    table = tree.table();
    composites = tree.composites();
    mayTidy = true;
    Snapshot snapshot =
        new Snapshot(read.digest(), tree.packs(), read.state().treeBytes(), tree.files());
    stored = new Stored(read.state(), snapshot);
    return new CapturedTree(
        snapshot,
        shipment.bytes(),
        scan.filesToRead(),
        join(scan.skipped(), read.skipped()),
        scan.leftOut());
  }

  private ChunkTable tidied(Stored before) {
    Snapshot snapshot = before.snapshot();
    return StoredTreeIndex.isScattered(snapshot.packs())
        ? StoredTreeIndex.of(before.state(), snapshot.root(), table, composites).withoutSmallest()
        : table;
  }

  /** What was stored stays stored, also when the capture fails after that. */
  private void keep(ChunkTable more) {
    if (more == table) {
      return;
    }
    for (int entry = 0; entry < more.size(); entry++) {
      table.add(more.hash(entry), table.packNumber(more.packs().get(more.pack(entry))));
    }
  }

  private static List<SkippedEntry> join(List<SkippedEntry> first, List<SkippedEntry> second) {
    List<SkippedEntry> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  /**
   * The tree is what a restore has just made.
   *
   * @param chunks has all of its chunks
   * @param parts of the chunks among them that name others
   */
  public void begin(
      DirState state, Snapshot snapshot, ChunkTable chunks, Map<Hash, List<Hash>> parts) {
    seen = state;
    table = chunks;
    composites = new CompositeChunkRegistry();
    parts.forEach(composites::put);
    // Where something could not be restored as it was, the tree is another one.
    stored = state.node() == null ? null : new Stored(state, snapshot);
  }

  /** The store has lost what was put: the next capture puts everything. */
  public void forgetPacks() {
    stored = null;
    table = new ChunkTable();
    composites = new CompositeChunkRegistry();
  }

  /** The tree is another one. */
  public void forgetAll() {
    seen = null;
    forgetPacks();
  }

  @FunctionalInterface
  private interface Attempt<T> {
    T run(ScanResult scan) throws IOException, InterruptedException;
  }

  private <T> T attempt(Path root, Attempt<T> work) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      // What is known of files whose times do not tell that they have changed is of no use.
      ScanResult scan = scanner.scan(root, attempt > MAX_ATTEMPTS / 2 ? null : seen);
      seen = scan.root();
      try {
        return work.run(scan);
      } catch (TreeMovedException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw new IOException(e.getMessage() + ", at each of " + MAX_ATTEMPTS + " attempts", e);
        }
      }
    }
  }
}
