/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks an archive into an empty private directory: one use, one thread.
 *
 * <p>An entry is written only into a directory that this archive made here, so no link is ever
 * followed. Everything is checked before it is written.
 */
final class TarRestore {
  private static final Set<StandardOpenOption> FRESH =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final FileAttribute<?> OWNER_ONLY_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;
  private final Limits limits;
  private final Map<TreePath, TreeEntry> entries = new TreeMap<>();
  private final byte[] buffer = new byte[1 << 16];
  private final MessageDigest sha = Sha256.create();
  private long bytes;

  private TarRestore(Path root, Limits limits) {
    this.root = root;
    this.limits = limits;
  }

  /**
   * What is now below {@code root}, except that modes and mtimes of directories and odd modes of
   * files are still to be set.
   */
  static TreeListing unpack(InputStream archive, Path root, Limits limits) throws IOException {
    TarRestore restore = new TarRestore(root, limits);
    try (TarSource source = new TarSource(archive)) {
      for (TarArchiveEntry header = source.next(); header != null; header = source.next()) {
        restore.entry(header, source);
      }
    }
    return new TreeListing(List.copyOf(restore.entries.values()), List.of());
  }

  private void entry(TarArchiveEntry header, TarSource source) throws IOException {
    TreePath path = path(header.getName());
    if (entries.size() >= limits.maxEntries()) {
      throw new SnapshotException.TooLarge(
          "more than %d entries, at '%s'".formatted(limits.maxEntries(), path));
    }
    if (entries.containsKey(path)) {
      throw new SnapshotException.DuplicateEntry(path);
    }
    checkParent(path, header);
    Path file = RawNames.resolve(root, path);
    int mode = header.getMode() & 01777;
    Instant mtime = header.getLastModifiedTime().toInstant();
    TreeEntry made =
        switch (kind(path, header)) {
          case DIRECTORY -> directory(path, file, mode, mtime);
          case FILE ->
              file(
                  new TreeEntry.RegularFile(path, mode, mtime, header.getSize(), ""), file, source);
          case SYMLINK -> symlink(new TreeEntry.Symlink(path, mtime, header.getLinkName()), file);
          case HARD_LINK -> hardLink(path, file, header.getLinkName());
        };
    entries.put(path, made);
  }

  private static TreePath path(String name) throws IOException {
    if (name.equals(TarWriter.ROOT_NAME)) {
      return TreePath.ROOT;
    }
    try {
      TreePath path =
          new TreePath(name.endsWith("/") ? name.substring(0, name.length() - 1) : name);
      if (!path.isRoot()) {
        return path;
      }
    } catch (IllegalArgumentException e) {
      throw new SnapshotException.UnsafeName("the archive has a " + e.getMessage());
    }
    throw new SnapshotException.UnsafeName(
        "the archive has an empty or absolute name: '" + name + "'");
  }

  private void checkParent(TreePath path, TarArchiveEntry header) throws IOException {
    if (path.isRoot()) {
      if (header.getLinkFlag() != TarConstants.LF_DIR) {
        throw new SnapshotException.UnsupportedEntry(path, "the root and no directory");
      }
      return;
    }
    TreeEntry parent = entries.get(path.parent());
    String problem =
        switch (parent) {
          case null -> "missing";
          case TreeEntry.Directory d -> "";
          case TreeEntry.RegularFile f -> "a file";
          case TreeEntry.Symlink l -> "a symbolic link";
          case TreeEntry.HardLink h -> "a file";
        };
    if (!problem.isEmpty()) {
      throw new SnapshotException.NotInDirectory(path, problem);
    }
  }

  private enum Kind {
    DIRECTORY,
    FILE,
    SYMLINK,
    HARD_LINK
  }

  private static Kind kind(TreePath path, TarArchiveEntry header) throws IOException {
    if (header.isSparse()) {
      throw new SnapshotException.UnsupportedEntry(path, "a sparse file");
    }
    return switch (header.getLinkFlag()) {
      case TarConstants.LF_DIR -> Kind.DIRECTORY;
      case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM -> Kind.FILE;
      case TarConstants.LF_SYMLINK -> Kind.SYMLINK;
      case TarConstants.LF_LINK -> Kind.HARD_LINK;
      default ->
          throw new SnapshotException.UnsupportedEntry(
              path, "of tar type " + (header.getLinkFlag() & 0xff));
    };
  }

  private TreeEntry directory(TreePath path, Path dir, int mode, Instant mtime) throws IOException {
    if (!path.isRoot()) {
      Files.createDirectory(dir, OWNER_ONLY_DIRECTORY);
    }
    return new TreeEntry.Directory(path, mode, mtime);
  }

  private TreeEntry symlink(TreeEntry.Symlink link, Path file) throws IOException {
    if (link.target().isEmpty() || link.target().chars().anyMatch(c -> c == 0 || c > 255)) {
      throw new SnapshotException.UnsafeName(
          "symbolic link '" + link.path() + "' has no usable target");
    }
    Files.createSymbolicLink(file, RawNames.toPath(link.target()));
    Attributes.setMtime(file, link.mtime());
    return link;
  }

  private TreeEntry hardLink(TreePath path, Path file, String target) throws IOException {
    TreePath first;
    try {
      first = new TreePath(target);
    } catch (IllegalArgumentException e) {
      throw new SnapshotException.LinkEscapes(path, target, e);
    }
    if (!(entries.get(first) instanceof TreeEntry.RegularFile f)) {
      throw new SnapshotException.LinkEscapes(path, target, null);
    }
    Files.createLink(file, RawNames.resolve(root, f.path()));
    return new TreeEntry.HardLink(path, f.path());
  }

  private TreeEntry file(TreeEntry.RegularFile file, Path to, TarSource source) throws IOException {
    if (file.size() > limits.maxBytes() - bytes) {
      throw new SnapshotException.TooLarge(
          "more than %d bytes, at '%s'".formatted(limits.maxBytes(), file.path()));
    }
    bytes += file.size();
    try (SeekableByteChannel out = Files.newByteChannel(to, FRESH, OWNER_ONLY_FILE)) {
      for (int n = source.read(buffer, buffer.length);
          n >= 0;
          n = source.read(buffer, buffer.length)) {
        sha.update(buffer, 0, n);
        for (ByteBuffer left = ByteBuffer.wrap(buffer, 0, n); left.hasRemaining(); ) {
          out.write(left);
        }
      }
    }
    Attributes.setMtime(to, file.mtime());
    if (!LateModes.isLate(file)) {
      Attributes.setMode(to, file.mode());
    }
    return new TreeEntry.RegularFile(
        file.path(), file.mode(), file.mtime(), file.size(), Sha256.finish(sha));
  }
}
