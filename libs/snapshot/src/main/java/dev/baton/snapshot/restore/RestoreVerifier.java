/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.SnapshotException.DigestMismatch;
import dev.baton.snapshot.files.AccessListUpdater;
import dev.baton.snapshot.files.NoFollowPathWalker;
import dev.baton.snapshot.files.StagedTargetDirectory;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeReader;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.FileAttributeReader;
import dev.baton.snapshot.scan.ScanResult;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the scan of a newly written directory with the nodes of the tree. Passes the written
 * content on to the scanned state, so that the next capture need not read it. Single use, one
 * thread.
 */
final class RestoreVerifier {
  private final Path path;
  private final OpenDirectory directory;
  private final CompositeChunkRecorder chunks;
  private final NodeReader nodes;
  private final RestoreOptions options;
  private final AttributeLossCollector degraded;
  private final List<Pair> pairs = new ArrayList<>();
  private final Deque<Pair> todo = new ArrayDeque<>();
  private final long began = System.currentTimeMillis();

  /** A directory as found and as expected. */
  private static final class Pair {
    final @Nullable Pair parent;
    final NodeEntry.Directory wanted;
    final DirState found;

    /** Whether a capture would give the same node. */
    boolean exact = true;

    int next;

    Pair(@Nullable Pair parent, NodeEntry.Directory wanted, DirState found) {
      this.parent = parent;
      this.wanted = wanted;
      this.found = found;
    }

    String path() {
      Pair above = parent;
      return above == null ? "" : above.path(wanted.name());
    }

    String path(String name) {
      String own = path();
      return own.isEmpty() ? name : name.isEmpty() ? own : own + "/" + name;
    }
  }

  /**
   * @param fresh scan of the directory that was written
   */
  RestoreVerifier(
      StagedTargetDirectory fresh,
      CompositeChunkRecorder chunks,
      RestoreOptions options,
      AttributeLossCollector degraded) {
    path = fresh.path();
    directory = fresh.directory();
    this.chunks = chunks;
    this.options = options;
    this.degraded = degraded;
    nodes = new NodeReader(chunks);
  }

  /**
   * Returns the state of the directory, from which the next capture starts.
   *
   * @throws DigestMismatch with the first path that differs from the snapshot
   */
  DirState verify(NodeEntry.Directory root) throws IOException, InterruptedException {
    ScanResult scan = TreeScanner.ofEverything().scan(path, null);
    if (!scan.skipped().isEmpty()) {
      throw new DigestMismatch("the restored tree is not as written: " + scan.skipped().getFirst());
    }
    Pair top = new Pair(null, root, scan.root());
    directory(top);
    todo.add(top);
    for (Pair pair = todo.pollLast(); pair != null; pair = todo.pollLast()) {
      pairs.add(pair);
      compare(pair);
    }
    for (Pair pair : pairs.reversed()) {
      seal(pair);
    }
    return scan.root();
  }

  private static void seal(Pair pair) {
    if (pair.exact) {
      pair.found.seal(pair.wanted.node());
    } else if (pair.parent != null) {
      pair.parent.exact = false;
    }
  }

  private void compare(Pair pair) throws IOException, InterruptedException {
    nodes.read(pair.wanted.node(), entry -> compare(pair, entry));
    if (pair.next < pair.found.size()) {
      throw differs(pair, pair.found.name(pair.next), "exists, but is not in the snapshot");
    }
  }

  private void compare(Pair pair, NodeEntry entry) throws IOException, InterruptedException {
    int i = pair.next++;
    DirState found = pair.found;
    if (i >= found.size() || !found.name(i).equals(entry.name())) {
      throw differs(pair, entry.name(), "is missing");
    }
    switch (entry) {
      case NodeEntry.Directory wanted -> {
        requireKind(pair, i, FileKind.DIRECTORY);
        Pair child = new Pair(pair, wanted, found.child(i));
        directory(child);
        todo.add(child);
      }
      case NodeEntry.File wanted -> file(pair, i, wanted);
      case NodeEntry.Symlink wanted -> {
        requireKind(pair, i, FileKind.SYMLINK);
        require(pair, wanted.name(), "target", found.target(i), wanted.target());
        FileMetadata meta = found.meta(i);
        time(pair, wanted.name(), meta, wanted.seconds(), wanted.nanos());
      }
      case NodeEntry.HardLink wanted -> {
        requireKind(pair, i, FileKind.FILE);
        String first = Objects.requireNonNullElse(found.linkTo(i), "");
        require(pair, wanted.name(), "first name", first, wanted.path());
      }
    }
  }

  private void file(Pair pair, int i, NodeEntry.File wanted)
      throws IOException, InterruptedException {
    requireKind(pair, i, FileKind.FILE);
    DirState found = pair.found;
    String name = wanted.name();
    require(pair, name, "size", found.length(i), wanted.size());
    require(pair, name, "first name", Objects.requireNonNullElse(found.linkTo(i), ""), "");
    FileMetadata meta = wanted.meta();
    int mode = DeferredModeSetter.meanwhileOfFile(meta, options.fileMode(meta.mode()));
    FileMetadata now = found.meta(i);
    List<Xattr> xattrs = meta.xattrs().isEmpty() ? List.of() : xattrs(pair, name);
    FileMetadata whole =
        new FileMetadata(now.mode(), now.seconds(), now.nanos(), now.owner(), xattrs);
    meta(pair, name, whole, meta, mode);
    found.learnWritten(i, xattrs, wanted.content(), began);
    chunks.add(wanted);
  }

  /** Reads attributes of a file: a scan reads only those of directories, and few files have any. */
  private List<Xattr> xattrs(Pair pair, String name) throws IOException {
    try (NoFollowPathWalker in = NoFollowPathWalker.to(directory, pair.path());
        OpenFile file = in.directory().openForReading(name, new StatBuffer())) {
      return FileAttributeReader.of(file);
    }
  }

  private void directory(Pair pair) throws DigestMismatch {
    FileMetadata wanted = pair.wanted.meta();
    int mode = DeferredModeSetter.meanwhileOfDirectory(options.directoryMode(wanted.mode()));
    meta(pair, "", pair.found.meta(), wanted, mode);
  }

  /**
   * Adds tolerated differences to the degraded attributes.
   *
   * @param name empty for the directory itself
   */
  private void meta(Pair pair, String name, FileMetadata found, FileMetadata wanted, int mode)
      throws DigestMismatch {
    time(pair, name, found, wanted.seconds(), wanted.nanos());
    if (found.equals(wanted)) {
      return;
    }
    inexact(pair, name);
    int differing = found.mode() ^ mode;
    if ((differing & 0777) != 0) {
      throw differs(pair, name, "has mode 0%o, not 0%o".formatted(found.mode(), mode));
    }
    if (differing != 0) {
      degraded.addIfUnknown(pair.path(name), "special bits 0%o are not set".formatted(differing));
    }
    if (!Objects.equals(found.owner(), notOwn(wanted.owner()))) {
      degraded.addIfUnknown(pair.path(name), "has another owner");
    }
    if (!found.xattrs().equals(AccessListUpdater.afterChmod(wanted.xattrs(), mode))) {
      degraded.addIfUnknown(pair.path(name), "extended attributes differ");
    }
  }

  /**
   * Marks the node that contains the attributes: that of the parent directory, or the tree for the
   * root.
   */
  private static void inexact(Pair pair, String name) {
    Pair above = pair.parent;
    Pair in = name.isEmpty() && above != null ? above : pair;
    in.exact = false;
  }

  private static @Nullable FileOwner notOwn(@Nullable FileOwner owner) {
    boolean own =
        owner != null
            && owner.uid() == Integer.toUnsignedLong(ProcessCredentials.effectiveUser())
            && owner.gid() == Integer.toUnsignedLong(ProcessCredentials.effectiveGroup());
    return own ? null : owner;
  }

  /**
   * Compares times. Some file systems store only whole seconds, or no times before 1901 or after
   * 2038.
   */
  private void time(Pair pair, String name, FileMetadata found, long seconds, int nanos)
      throws DigestMismatch {
    if (found.seconds() == seconds && found.nanos() == nanos) {
      return;
    }
    boolean coarser = found.seconds() == seconds && found.nanos() < nanos;
    boolean outside = seconds != (int) seconds && found.seconds() != seconds;
    if (!coarser && !outside) {
      throw differs(
          pair,
          name,
          "has time %d.%09d, not %d.%09d"
              .formatted(found.seconds(), found.nanos(), seconds, nanos));
    }
    inexact(pair, name);
    degraded.addIfUnknown(
        pair.path(name), "this file system cannot keep its time %d.%09d".formatted(seconds, nanos));
  }

  private static void requireKind(Pair pair, int i, FileKind kind) throws DigestMismatch {
    require(pair, pair.found.name(i), "kind", pair.found.kind(i), kind);
  }

  private static void require(Pair pair, String name, String what, Object found, Object wanted)
      throws DigestMismatch {
    if (!found.equals(wanted)) {
      throw differs(pair, name, "has %s '%s', not '%s'".formatted(what, found, wanted));
    }
  }

  private static DigestMismatch differs(Pair pair, String name, String how) {
    return new DigestMismatch(
        "the restored tree is not the snapshot's: '%s' %s"
            .formatted(RawName.display(pair.path(name)), how));
  }
}
