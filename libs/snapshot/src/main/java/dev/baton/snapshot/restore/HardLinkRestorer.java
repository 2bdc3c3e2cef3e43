/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.files.NoFollowPathWalker;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the hard links of a tree after all its files exist. Not thread-safe.
 *
 * <p>A link's target is resolved from the tree's root, through directories only, so it cannot be
 * outside.
 */
final class HardLinkRestorer {
  /** Maximum number of bytes of paths that are held. */
  private static final long MAX_BYTES = 128 << 20;

  private record Waiting(PendingDirectory directory, NodeEntry.HardLink link) {}

  private final List<Waiting> links = new ArrayList<>();
  private long bytes;

  void add(PendingDirectory directory, NodeEntry.HardLink link) throws SnapshotException {
    directory.awaitsLinks = true;
    bytes += link.path().length() + link.name().length();
    if (bytes > MAX_BYTES) {
      throw new SnapshotException.TooLarge(
          "the hard links of the tree have paths of more than %d bytes".formatted(MAX_BYTES));
    }
    links.add(new Waiting(directory, link));
  }

  long count() {
    return links.size();
  }

  void make(OpenDirectory root) throws IOException {
    StatBuffer stat = new StatBuffer();
    PendingDirectory into = null;
    NoFollowPathWalker at = null;
    try {
      for (Waiting each : links) {
        if (at == null || into != each.directory) {
          close(at);
          at = null;
          into = each.directory;
          at = NoFollowPathWalker.to(root, into.path());
        }
        make(root, at.directory(), each, stat);
      }
    } finally {
      close(at);
    }
  }

  private static void close(@Nullable NoFollowPathWalker descent) throws IOException {
    if (descent != null) {
      descent.close();
    }
  }

  private static void make(OpenDirectory root, OpenDirectory into, Waiting waiting, StatBuffer stat)
      throws IOException {
    String path = waiting.link.path();
    int slash = path.lastIndexOf('/');
    try (NoFollowPathWalker from =
        NoFollowPathWalker.to(root, slash < 0 ? "" : path.substring(0, slash))) {
      String target = path.substring(slash + 1);
      if (!from.directory().statIfPresent(target, stat) || stat.kind() != FileKind.FILE) {
        throw escapes(waiting, null);
      }
      try {
        into.link(from.directory(), target, waiting.link.name());
      } catch (PosixException e) {
        throw RestoredFileWriter.explained(e, waiting.directory, waiting.link.name());
      }
    } catch (PosixException e) {
      throw e.isAbsent() || e.isLink() ? escapes(waiting, e) : e;
    }
  }

  private static SnapshotException escapes(Waiting waiting, @Nullable PosixException cause) {
    SnapshotException escapes =
        new SnapshotException.LinkEscapes(
            "hard link '%s' must name a file of the tree, not '%s'"
                .formatted(
                    RawName.display(waiting.directory.path(waiting.link.name())),
                    RawName.display(waiting.link.path())));
    if (cause != null) {
      escapes.initCause(cause);
    }
    return escapes;
  }
}
