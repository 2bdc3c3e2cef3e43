/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.snapshot.TreeDeleter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A private folder next to a target, in which its new content is built. {@link #close} deletes it.
 */
final class StagingDirectory implements AutoCloseable {
  private final Path path;

  private StagingDirectory(Path path) {
    this.path = path;
  }

  static StagingDirectory beside(Path target) throws IOException {
    Path parent = target.toAbsolutePath().normalize().getParent();
    if (parent == null) {
      throw new IOException(target + " cannot be replaced: it has no parent directory");
    }
    Files.createDirectories(parent);
    return new StagingDirectory(Files.createTempDirectory(parent, ".baton-export-"));
  }

  /** Creates one that is not next to a target. */
  static StagingDirectory temporary() throws IOException {
    return new StagingDirectory(Files.createTempDirectory("baton-import-"));
  }

  Path path() {
    return path;
  }

  /** Packs the folder's files into one archive, the manifest first. */
  Path tar(Path folder) throws IOException {
    Path file = path.resolve("export.tar");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      add(tar, folder, PortableCheckpointFormat.MANIFEST);
      tar.putArchiveEntry(new TarArchiveEntry(PortableCheckpointFormat.MCP + "/"));
      tar.closeArchiveEntry();
      for (String name : PortableCheckpointFormat.files(folder)) {
        add(tar, folder, name);
      }
    }
    return file;
  }

  private static void add(TarArchiveOutputStream tar, Path folder, String name) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setSize(Files.size(folder.resolve(name)));
    tar.putArchiveEntry(entry);
    Files.copy(folder.resolve(name), tar);
    tar.closeArchiveEntry();
  }

  /** Moves the finished content to its target and replaces the previous one. */
  void place(Path made, Path target) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path old = path.resolve("old");
    boolean replaces = Files.exists(absolute, LinkOption.NOFOLLOW_LINKS);
    if (replaces) {
      Files.move(absolute, old, StandardCopyOption.ATOMIC_MOVE);
    }
    try {
      Files.move(made, absolute, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (replaces) {
        Files.move(old, absolute, StandardCopyOption.ATOMIC_MOVE);
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    TreeDeleter.deleteFully(path);
  }
}
