/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.RestoreLimits;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.RawName;

/** Counts entries and bytes against the limits before they are written. One thread. */
final class RestoreBudget {
  private final RestoreLimits limits;
  private long entries;
  private long files;
  private long bytes;

  /** Rejects a snapshot whose declared size or number of files exceeds the limits. */
  RestoreBudget(RestoreLimits limits, Snapshot snapshot) throws SnapshotException {
    this.limits = limits;
    if (snapshot.treeBytes() > limits.maxBytes()) {
      throw new SnapshotException.TooLarge(
          "the tree has %d bytes; at most %d may be restored"
              .formatted(snapshot.treeBytes(), limits.maxBytes()));
    }
    if (snapshot.fileCount() > limits.maxEntries()) {
      throw new SnapshotException.TooManyEntries(
          "the tree has %d files; at most %d entries may be restored"
              .formatted(snapshot.fileCount(), limits.maxEntries()));
    }
  }

  /** Counts an entry, before any of it is written. */
  void entry(PendingDirectory directory, NodeEntry entry) throws SnapshotException {
    if (++entries > limits.maxEntries()) {
      throw new SnapshotException.TooManyEntries(
          "more than %d entries, at '%s'".formatted(limits.maxEntries(), path(directory, entry)));
    }
    if (!(entry instanceof NodeEntry.Directory)) {
      files++;
    }
    if (entry instanceof NodeEntry.File file) {
      if (file.size() > limits.maxBytes() - bytes) {
        throw new SnapshotException.TooLarge(
            "more than %d bytes, at '%s'".formatted(limits.maxBytes(), path(directory, entry)));
      }
      bytes += file.size();
    }
  }

  private static String path(PendingDirectory directory, NodeEntry entry) {
    return RawName.display(directory.path(entry.name()));
  }

  /** Returns the number of files and links. */
  long files() {
    return files;
  }

  /** Returns the total size of the files. */
  long bytes() {
    return bytes;
  }
}
