/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.format.Content;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.Scanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads all of a scanned tree that has to be read, and makes its nodes. One use, by one thread,
 * which has others do the reading.
 */
final class TreeReading {
  /** As often as names of files can vanish while their other names are looked for. */
  private static final int MAX_ROUNDS = 5;

  private final Path root;
  private final Supplier<Outlet> outlets;
  private final Predicate<Content> storedContent;
  private final Predicate<Hash> storedNode;
  private final Composites composites;
  private final ConcurrentLinkedQueue<Skipped> skipped = new ConcurrentLinkedQueue<>();

  /**
   * What a tree turned out to be.
   *
   * @param state sealed
   * @param skipped found while reading
   */
  record Read(DirState state, Hash digest, List<Skipped> skipped) {}

  /**
   * @param outlets where the chunks of each thread go
   * @param storedContent whether a known file need not be read
   * @param storedNode whether a known node need not be made
   */
  TreeReading(
      Path root,
      Supplier<Outlet> outlets,
      Predicate<Content> storedContent,
      Predicate<Hash> storedNode,
      Composites composites) {
    this.root = root;
    this.outlets = outlets;
    this.storedContent = storedContent;
    this.storedNode = storedNode;
    this.composites = composites;
  }

  /**
   * @param before of which everything is in the store; null if none is known
   * @throws TreeMovedException when it has to be scanned again
   */
  Read read(DirState scanned, @Nullable DirState before) throws IOException, InterruptedException {
    DirState state = scanned;
    for (int round = 1; ; round++) {
      files(state, before);
      DirState relinked = Scanner.relinked(state);
      if (relinked == state) {
        break;
      }
      if (round == MAX_ROUNDS) {
        throw new TreeMovedException(root.toString());
      }
      state = relinked;
    }
    try (Outlet outlet = outlets.get()) {
      outlet.filesEnded();
      Hash digest = new Nodes(outlet, storedNode, composites).root(state, before);
      outlet.flush();
      return new Read(state, digest, List.copyOf(skipped));
    }
  }

  private void files(DirState state, @Nullable DirState before)
      throws IOException, InterruptedException {
    try (Readers readers = new Readers(this::share, threads())) {
      new FileWalk(root, storedContent, readers::add, skipped).walk(state, before);
      readers.finish();
    }
  }

  private ReadFiles share() {
    return new ReadFiles(outlets.get(), composites, skipped);
  }

  /** One more than processors: now and then one waits for the store. */
  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors() + 1, 2, 9);
  }
}
