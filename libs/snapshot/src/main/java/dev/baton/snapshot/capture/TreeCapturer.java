/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.ChunkSizes;
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
 * Captures one tree repeatedly. Caches between captures which files are unchanged and which packs
 * contain their chunks. Not thread-safe.
 */
public final class TreeCapturer {
  private static final int MAX_ATTEMPTS = 4;

  private final ChunkSizes sizes;
  private TreeScanner scanner;
  private FileContentScanner contents = FileContentScanner.NONE;
  private @Nullable DirState seen;
  private @Nullable Stored stored;
  private ChunkTable table = new ChunkTable();
  private CompositeChunkRegistry composites = new CompositeChunkRegistry();

  /**
   * Whether small packs may be rewritten: not after a failure, because the chunks stored then would
   * be rewritten again.
   */
  private boolean mayTidy = true;

  /** The last state that is completely stored. */
  private record Stored(DirState state, Snapshot snapshot) {}

  /**
   * @param sizes of the chunks of files that are read
   */
  public TreeCapturer(ExcludePolicy excludes, ChunkSizes sizes) {
    this.sizes = sizes;
    scanner = TreeScanner.leavingOut(excludes);
  }

  /**
   * Replaces the exclude rules.
   *
   * @param seenAs the path of the tree as programs see it, which git's absolute paths contain; null
   *     if it is the actual path
   */
  public void leaveOut(ExcludePolicy excludes, @Nullable Path seenAs) {
    TreeScanner plain = TreeScanner.leavingOut(excludes);
    scanner = seenAs == null ? plain : plain.seenAs(seenAs);
  }

  /** Leaves out files whose content the scanner refuses, from the next read on. */
  public void scan(FileContentScanner with) {
    contents = with;
  }

  /**
   * Reads the current tree, as far as it has changed.
   *
   * @throws IOException if the root cannot be read
   */
  public DirState read(Path root) throws IOException, InterruptedException {
    return attempt(root, scan -> readOnce(root, scan)).state();
  }

  /** Computes the digest; stores nothing. */
  public Hash digest(Path root) throws IOException, InterruptedException {
    return attempt(root, scan -> readOnce(root, scan)).digest();
  }

  private ScannedTreeReader.Read readOnce(Path root, ScanResult scan)
      throws IOException, InterruptedException {
    return new ScannedTreeReader(
            root,
            sizes,
            contents,
            CloseableChunkSink::nowhere,
            content -> true,
            node -> true,
            composites)
        .read(scan.root(), null);
  }

  /**
   * Stores the current tree. When this returns, all its chunks are in stored packs.
   *
   * @throws IOException if the root cannot be read, or a pack cannot be stored
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
                  sizes,
                  contents,
                  // While rewriting packs, the store must not be queried: it would find the chunks
                  // in the old packs.
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

  /** Keeps the locations of stored chunks when a capture fails later. */
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
   * Initializes the cache after a restore.
   *
   * @param chunks has all chunks of the tree
   * @param parts the composite chunks with the chunks that they refer to
   */
  public void begin(
      DirState state, Snapshot snapshot, ChunkTable chunks, Map<Hash, List<Hash>> parts) {
    seen = state;
    table = chunks;
    composites = new CompositeChunkRegistry();
    parts.forEach(composites::put);
    // If an attribute could not be restored, the tree differs from the snapshot.
    stored = state.node() == null ? null : new Stored(state, snapshot);
  }

  /**
   * Discards the record of stored packs, because the store has lost them: the next capture stores
   * everything.
   */
  public void forgetPacks() {
    stored = null;
    table = new ChunkTable();
    composites = new CompositeChunkRegistry();
  }

  /** Discards all cached state: the tree is a different one. */
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
      // After half of the attempts, ignore the cache: some file may have changed without a change
      // of its times.
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
