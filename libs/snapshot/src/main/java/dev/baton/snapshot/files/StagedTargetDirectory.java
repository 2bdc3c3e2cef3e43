/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A private, empty directory next to a target (on the same file system) that either replaces the
 * target by a rename or is removed. If the process is killed in between, {@code .baton-new-*} or
 * {@code .baton-old-*} remains next to the target.
 */
public final class StagedTargetDirectory implements AutoCloseable {
  private final OpenDirectory parent;
  private final Path path;
  private final String target;
  private final String name;
  private final String old;
  private final OpenDirectory directory;
  private boolean placed;

  private StagedTargetDirectory(OpenDirectory parent, Path target, String number)
      throws IOException {
    this.parent = parent;
    String raw = RawName.ofPath(target);
    this.target = raw.substring(raw.lastIndexOf('/') + 1);
    name = ".baton-new-" + number;
    old = ".baton-old-" + number;
    path = target.resolveSibling(name);
    parent.mkdir(name, 0700);
    directory = parent.openChild(name);
  }

  /**
   * Creates the directory, and missing parents of the target.
   *
   * @throws IOException also if the target has no parent: it is the file system's root
   */
  public static StagedTargetDirectory beside(Path target) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null) {
      throw new IOException(target + " cannot be replaced: it has no parent directory");
    }
    Files.createDirectories(parent);
    OpenDirectory open = OpenDirectory.open(parent.toRealPath());
    StagedTargetDirectory fresh = null;
    try {
      String number = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
      fresh = new StagedTargetDirectory(open, absolute, number);
      fresh.makePlain();
      return fresh;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, fresh == null ? open : fresh);
      throw e;
    }
  }

  private static void closeAfter(Exception cause, AutoCloseable open) {
    try {
      open.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Removes group and access list inheritance: new files inherit neither from the target's parent.
   */
  private void makePlain() throws IOException {
    FileAttributeWriter.bequeathNothing(directory);
    StatBuffer stat = new StatBuffer();
    directory.stat(stat);
    if (stat.gid != ProcessCredentials.effectiveGroup()) {
      directory.chown(stat.uid, ProcessCredentials.effectiveGroup());
    }
    directory.chmod(0700);
  }

  /** Returns the path of the directory until it is placed. */
  public Path path() {
    return path;
  }

  public OpenDirectory directory() {
    return directory;
  }

  /** Returns the permission bits that new files in it do not get. */
  public int umask() throws IOException {
    String probe = "probe";
    StatBuffer stat = new StatBuffer();
    try (OpenFile file = directory.create(probe, 0777)) {
      file.stat(stat);
    }
    directory.unlink(probe);
    return 0777 & ~stat.mode;
  }

  /**
   * Replaces the target by this directory; restores the old target if that fails.
   *
   * @return why the old tree could not be deleted, at most 20 lines
   */
  public List<String> place() throws IOException {
    boolean replaces = parent.statIfPresent(target, new StatBuffer());
    if (replaces) {
      parent.rename(target, parent, old);
    }
    try {
      parent.rename(name, parent, target);
      placed = true;
    } catch (PosixException e) {
      if (replaces) {
        putBack(e);
      }
      throw e;
    }
    return replaces ? DirectoryRemover.remove(parent, old) : List.of();
  }

  private void putBack(PosixException cause) {
    try {
      parent.rename(old, parent, target);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    try (parent;
        directory) {
      if (!placed) {
        List<String> problems = DirectoryRemover.remove(parent, name);
        if (!problems.isEmpty()) {
          throw new IOException("cannot remove " + path + ": " + String.join("; ", problems));
        }
      }
    }
  }
}
