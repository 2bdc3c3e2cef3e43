/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.baton.snapshot.RestoreLimits;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks an untrusted zstd-compressed tar into an empty private directory. Creates each entry
 * relative to an open directory, and only if it does not exist, so no link is ever followed. Drops
 * setuid and setgid bits; files are owned by the caller. For a single use by one thread.
 */
final class TarUnpacker {
  private static final long MAX_HEADER = 1 << 16;
  private static final int BUFFER = 1 << 16;
  private static final int MAX_DEPTH = 2048;

  private final OpenDirectory root;
  private final RestoreLimits limits;
  private final byte[] buffer = new byte[BUFFER];
  private final List<Late> late = new ArrayList<>();
  private long entries;
  private long bytes;

  /** Mode and time of a directory, set after its content was written. */
  private record Late(List<String> path, int mode, Instant modified) {}

  private TarUnpacker(OpenDirectory root, RestoreLimits limits) {
    this.root = root;
    this.limits = limits;
  }

  /**
   * @param into empty and private to the caller
   * @throws IOException that names the entry that is not allowed; the files unpacked so far remain
   */
  static void unpack(InputStream archive, Path into, RestoreLimits limits) throws IOException {
    try (OpenDirectory root = OpenDirectory.open(into);
        BoundedInputStream in =
            new BoundedInputStream(
                new BufferedInputStream(new ZstdInputStreamNoFinalizer(archive), BUFFER));
        TarArchiveInputStream tar =
            new TarArchiveInputStream(in, StandardCharsets.ISO_8859_1.name())) {
      TarUnpacker unpacker = new TarUnpacker(root, limits);
      in.allow(MAX_HEADER);
      for (TarArchiveEntry entry = next(tar); entry != null; entry = next(tar)) {
        in.allow(Math.addExact(Math.max(0, entry.getSize()), MAX_HEADER));
        unpacker.entry(entry, tar);
        in.allow(MAX_HEADER);
      }
      unpacker.finish();
    }
  }

  private static @org.jspecify.annotations.Nullable TarArchiveEntry next(TarArchiveInputStream tar)
      throws IOException {
    try {
      return tar.getNextEntry();
    } catch (RuntimeException e) {
      throw new IOException("the archive cannot be read: " + e.getMessage(), e);
    }
  }

  private void entry(TarArchiveEntry entry, TarArchiveInputStream tar) throws IOException {
    if (++entries > limits.maxEntries()) {
      throw new IOException("the archive has more than " + limits.maxEntries() + " entries");
    }
    List<String> path = path(entry.getName());
    if (path.isEmpty()) {
      late.add(new Late(path, entry.getMode() & 01777, modified(entry)));
      return;
    }
    String name = path.getLast();
    OpenDirectory parent = parent(path, entry.getName());
    try {
      switch (entry.getLinkFlag()) {
        case TarConstants.LF_DIR -> directory(parent, path, entry);
        case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM, TarConstants.LF_CONTIG ->
            file(parent, name, entry, tar);
        case TarConstants.LF_SYMLINK -> {
          parent.symlink(name, raw(entry.getLinkName()));
          Instant modified = modified(entry);
          parent.setModified(name, modified.getEpochSecond(), modified.getNano());
        }
        case TarConstants.LF_LINK -> hardLink(parent, name, entry);
        default ->
            throw new IOException(
                "'%s' is neither file, directory nor link (type %d)"
                    .formatted(entry.getName(), entry.getLinkFlag()));
      }
    } finally {
      close(parent);
    }
  }

  private void directory(OpenDirectory parent, List<String> path, TarArchiveEntry entry)
      throws IOException {
    StatBuffer stat = new StatBuffer();
    boolean there = parent.statIfPresent(path.getLast(), stat);
    if (there && stat.kind() != FileKind.DIRECTORY) {
      throw new IOException("'" + entry.getName() + "' is in the archive twice");
    }
    if (!there) {
      parent.mkdir(path.getLast(), 0700);
    }
    late.add(new Late(path, entry.getMode() & 01777, modified(entry)));
  }

  private void file(
      OpenDirectory parent, String name, TarArchiveEntry entry, TarArchiveInputStream tar)
      throws IOException {
    try (OpenFile file = parent.create(name, 0600)) {
      for (int n = tar.read(buffer); n >= 0; n = tar.read(buffer)) {
        bytes += n;
        if (bytes > limits.maxBytes()) {
          throw new IOException("the archive has more than " + limits.maxBytes() + " bytes");
        }
        file.write(buffer, 0, n);
      }
      Instant modified = modified(entry);
      file.setModified(modified.getEpochSecond(), modified.getNano());
      file.chmod(entry.getMode() & 01777);
    }
  }

  private void hardLink(OpenDirectory parent, String name, TarArchiveEntry entry)
      throws IOException {
    List<String> target = path(entry.getLinkName());
    if (target.isEmpty()) {
      throw new IOException("'" + entry.getName() + "' is a hard link to the root");
    }
    OpenDirectory from = parent(target, entry.getLinkName());
    try {
      StatBuffer stat = new StatBuffer();
      if (!from.statIfPresent(target.getLast(), stat) || stat.kind() != FileKind.FILE) {
        throw new IOException(
            "hard link '%s' must name an earlier entry of the archive, not '%s'"
                .formatted(entry.getName(), entry.getLinkName()));
      }
      parent.link(from, target.getLast(), name);
    } finally {
      close(from);
    }
  }

  /** Splits a name into the names from the root; empty for the root itself. */
  private static List<String> path(String name) throws IOException {
    String raw = raw(name);
    List<String> path = new ArrayList<>();
    for (String part : raw.split("/", -1)) {
      if (part.equals("..") || part.length() > RawName.MAX || part.indexOf('\0') >= 0) {
        throw new IOException("the archive has an entry outside of its root: '" + name + "'");
      }
      if (!part.isEmpty() && !part.equals(".")) {
        path.add(part);
      }
    }
    if (raw.startsWith("/") || path.size() > MAX_DEPTH) {
      throw new IOException("the archive has an entry outside of its root: '" + name + "'");
    }
    return path;
  }

  /**
   * Returns the name's bytes as characters; text of an extended header may have characters beyond a
   * byte.
   */
  private static String raw(String name) {
    return name.chars().allMatch(c -> c < 256) ? name : RawName.of(name);
  }

  /** Opens the parent directory; creates missing directories on the path. */
  private OpenDirectory parent(List<String> path, String name) throws IOException {
    OpenDirectory at = root;
    for (String part : path.subList(0, path.size() - 1)) {
      OpenDirectory next = child(at, part, name);
      close(at);
      at = next;
    }
    return at;
  }

  private OpenDirectory child(OpenDirectory at, String part, String name) throws IOException {
    try {
      StatBuffer stat = new StatBuffer();
      if (!at.statIfPresent(part, stat)) {
        at.mkdir(part, 0755);
      }
      return at.openChild(part);
    } catch (PosixException e) {
      close(at);
      throw new IOException(
          "the parent of '%s' is not a directory of the archive".formatted(name), e);
    }
  }

  private void close(OpenDirectory directory) throws IOException {
    if (directory != root) {
      directory.close();
    }
  }

  private static Instant modified(TarArchiveEntry entry) {
    return entry.getLastModifiedTime().toInstant();
  }

  /**
   * Sets modes and times from the leaves up: a read-only directory stays writable until its content
   * is complete.
   */
  private void finish() throws IOException {
    for (Late each : late.reversed()) {
      if (each.path().isEmpty()) {
        set(root, each);
        continue;
      }
      OpenDirectory parent = parent(each.path(), "");
      try (OpenDirectory directory = parent.openChild(each.path().getLast())) {
        set(directory, each);
      } finally {
        close(parent);
      }
    }
  }

  private static void set(OpenDirectory directory, Late wanted) throws IOException {
    directory.setModified(wanted.modified().getEpochSecond(), wanted.modified().getNano());
    directory.chmod(wanted.mode());
  }
}
