/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the changed files of a scanned tree and builds its nodes. Single use, by one thread, which
 * uses others for reading.
 */
final class ScannedTreeReader {
  /** Limits how often a file's first name can vanish while the file is read by its next name. */
  private static final int MAX_ROUNDS = 5;

  private final Path root;
  private final ChunkSizes sizes;
  private final FileContentScanner scanner;
  private final Supplier<CloseableChunkSink> outlets;
  private final Predicate<FileContent> storedContent;
  private final Predicate<Hash> storedNode;
  private final CompositeChunkRegistry composites;
  private final ConcurrentLinkedQueue<SkippedEntry> skipped = new ConcurrentLinkedQueue<>();

  /**
   * The result of reading a tree.
   *
   * @param state sealed
   * @param skipped entries that were skipped while reading
   */
  record Read(DirState state, Hash digest, List<SkippedEntry> skipped) {}

  /**
   * @param sizes of the chunks of files that are read
   * @param scanner of the content of these files
   * @param outlets creates the sink for the chunks of each thread
   * @param storedContent whether a known file need not be read
   * @param storedNode whether a known node need not be built
   */
  ScannedTreeReader(
      Path root,
      ChunkSizes sizes,
      FileContentScanner scanner,
      Supplier<CloseableChunkSink> outlets,
      Predicate<FileContent> storedContent,
      Predicate<Hash> storedNode,
      CompositeChunkRegistry composites) {
    this.root = root;
    this.sizes = sizes;
    this.scanner = scanner;
    this.outlets = outlets;
    this.storedContent = storedContent;
    this.storedNode = storedNode;
    this.composites = composites;
  }

  /**
   * @param before a state whose chunks are all in the store; null if none is known
   * @throws TreeMovedException if the tree must be scanned again
   */
  Read read(DirState scanned, @Nullable DirState before) throws IOException, InterruptedException {
    DirState state = scanned;
    for (int round = 1; ; round++) {
      files(state, before);
      DirState relinked = TreeScanner.relinked(state);
      if (relinked == state) {
        break;
      }
      if (round == MAX_ROUNDS) {
        throw new TreeMovedException(root.toString());
      }
      state = relinked;
    }
    try (CloseableChunkSink outlet = outlets.get()) {
      outlet.filesEnded();
      Hash digest = new DirectoryNodeBuilder(outlet, storedNode, composites).root(state, before);
      outlet.flush();
      return new Read(state, digest, List.copyOf(skipped));
    }
  }

  private void files(DirState state, @Nullable DirState before)
      throws IOException, InterruptedException {
    try (FileReadWorkerPool readers = new FileReadWorkerPool(this::share, threads())) {
      new ChangedFileWalker(root, storedContent, readers::add, skipped).walk(state, before);
      readers.finish();
    }
  }

  private FileReadWorker share() {
    return new FileReadWorker(outlets.get(), sizes, scanner, composites, skipped);
  }

  /** One more than processors, because a thread sometimes waits for the store. */
  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors() + 1, 2, 9);
  }
}
