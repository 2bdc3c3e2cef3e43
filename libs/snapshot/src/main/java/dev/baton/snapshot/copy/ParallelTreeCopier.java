/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.copy;

import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.files.FileCopier;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.threads.TreeWorkerPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Copies a tree with several threads; then one of them creates the hard links. Single use. */
public final class ParallelTreeCopier {
  private final Path from;
  private final OpenDirectory into;
  private final TreeWorkerPool<CopyTask> crew;
  private final Queue<SkippedEntry> skipped = new ConcurrentLinkedQueue<>();
  private final HardLinkCopier links;

  /**
   * @param into an empty directory that stays open during the copy
   */
  public ParallelTreeCopier(Path from, OpenDirectory into) {
    this.from = from;
    this.into = into;
    crew = new TreeWorkerPool<>("copy", from, Deque::pop);
    links = new HardLinkCopier(from, into);
  }

  /**
   * Copies the result of a scan.
   *
   * @return entries that were not copied, or possibly copied inconsistently, without those that the
   *     scan skipped
   * @throws IOException if the source's root can no longer be opened, or writing fails
   */
  public List<SkippedEntry> copy(DirState root) throws IOException, InterruptedException {
    crew.run(
        new CopyTask(this, null, "", root),
        threads(),
        () -> {
          FileCopier files = new FileCopier();
          return task -> task.run(files);
        });
    links.make();
    return List.copyOf(skipped);
  }

  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 8);
  }

  void push(CopyTask task) {
    crew.push(task);
  }

  void finished() {
    crew.finished();
  }

  boolean isOver() {
    return crew.isOver();
  }

  OpenDirectory openSource() throws IOException {
    return OpenDirectory.open(from);
  }

  OpenDirectory made() {
    return into;
  }

  OpenDirectory opened(OpenDirectory directory) {
    return crew.opened(directory);
  }

  void close(@Nullable OpenDirectory directory) throws IOException {
    crew.close(directory);
  }

  void linkLater(CopyTask in, String name, String first) {
    links.add(in, name, first);
  }

  void awaitLinks(CopyTask task) {
    links.await(task);
  }

  void skip(String path, PosixException why) {
    skip(path, SkippedEntry.Reason.of(why), String.valueOf(why.getMessage()));
  }

  /**
   * @param path raw
   */
  void skip(String path, SkippedEntry.Reason reason, String why) {
    skipped.add(new SkippedEntry(path.isEmpty() ? "." : RawName.display(path), reason, why));
  }
}
