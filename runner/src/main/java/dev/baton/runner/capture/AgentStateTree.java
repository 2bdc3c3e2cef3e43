/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.runner.secrets.SecretFileGuard;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.TreeDeleter;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.restore.RestoreOptions;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Captures and restores the files of an agent's home that a resume needs. A copy of the allowed
 * files is captured, so that no other file of the home can be in a checkpoint. For one thread at a
 * time.
 */
public final class AgentStateTree {
  /** A file that was changed so recently may change again without another time. */
  private static final long RECENT_MILLIS = 1_000;

  private final Path home;
  private final Path copy;
  private final Predicate<Path> allowed;
  private final SecretFileGuard guard;
  private final TreeSnapshotter tree =
      new TreeSnapshotter(ExcludePolicy.none(), ChunkSizes.GROWING);

  /**
   * @param home of the agent
   * @param copy a folder of this tree's own
   * @param allowed whether a file, by its path relative to the home, is captured
   * @param guard keeps files with secrets out
   */
  public AgentStateTree(Path home, Path copy, Predicate<Path> allowed, SecretFileGuard guard) {
    this.home = home;
    this.copy = copy;
    this.allowed = allowed;
    this.guard = guard;
    tree.scan(guard.scanner());
  }

  public Path home() {
    return home;
  }

  /** Empties the home. */
  public void clear() throws IOException {
    TreeDeleter.deleteFully(home);
    TreeDeleter.deleteFully(copy);
    Files.createDirectories(home);
    Files.createDirectories(copy);
  }

  CapturedTree capture(PackStore store) throws IOException, InterruptedException {
    long now = System.currentTimeMillis();
    Set<Path> current = new HashSet<>();
    Files.createDirectories(copy);
    walk(
        home,
        (relative, attributes) -> {
          if (allowed.test(relative)) {
            update(relative, attributes, now);
            current.add(relative);
          }
        });
    walk(
        copy,
        (relative, attributes) -> {
          if (!current.contains(relative)) {
            Files.delete(copy.resolve(relative));
          }
        });
    CapturedTree captured = tree.capture(copy, store);
    guard.leftOut(captured);
    return captured;
  }

  private void update(Path relative, BasicFileAttributes now, long time) throws IOException {
    Path to = copy.resolve(relative);
    if (isUnchanged(to, now, time)) {
      return;
    }
    Files.createDirectories(Objects.requireNonNull(to.getParent()));
    try {
      Files.copy(
          home.resolve(relative),
          to,
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.COPY_ATTRIBUTES,
          LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException gone) {
      // A temporary file of the agent.
      Files.deleteIfExists(to);
    }
  }

  private static boolean isUnchanged(Path copied, BasicFileAttributes now, long time)
      throws IOException {
    if (!now.isRegularFile() || !Files.isRegularFile(copied, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    BasicFileAttributes then =
        Files.readAttributes(copied, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return then.size() == now.size()
        && then.lastModifiedTime().equals(now.lastModifiedTime())
        && time - now.lastModifiedTime().toMillis() > RECENT_MILLIS;
  }

  /** Replaces the home by a stored tree. */
  void restore(Snapshot snapshot, PackSource source) throws IOException, InterruptedException {
    clear();
    tree.restore(snapshot, source, copy, RestoreOptions.defaults());
    walk(
        copy,
        (relative, attributes) -> {
          Path to = home.resolve(relative);
          Files.createDirectories(Objects.requireNonNull(to.getParent()));
          Files.copy(
              copy.resolve(relative),
              to,
              StandardCopyOption.COPY_ATTRIBUTES,
              LinkOption.NOFOLLOW_LINKS);
        });
  }

  void forgetPacks() {
    tree.forgetPacks();
  }

  private interface FileHandler {
    void accept(Path relative, BasicFileAttributes attributes) throws IOException;
  }

  /** Visits regular files and links; sockets and pipes are not state. */
  private static void walk(Path root, FileHandler handler) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile() || attributes.isSymbolicLink()) {
              handler.accept(root.relativize(file), attributes);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
  }
}
