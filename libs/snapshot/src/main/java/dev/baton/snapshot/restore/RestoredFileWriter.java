/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.files.FileAttributeWriter;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.FileHandle;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.RawName;
import java.io.IOException;

/**
 * Creates files, links and directories with their metadata. Thread-safe.
 *
 * @param umask permission bits that a new file does not get
 */
record RestoredFileWriter(
    RestoreOptions options,
    int umask,
    AttributeLossCollector degraded,
    DeferredModeSetter lateModes) {
  OpenFile create(PendingDirectory directory, NodeEntry.File file) throws IOException {
    try {
      return directory.directory().create(file.name(), firstMode(file.meta()));
    } catch (PosixException e) {
      throw explained(e, directory, file.name());
    }
  }

  /** Selects the initial mode; if it is already the final mode, most files need no further call. */
  private int firstMode(FileMetadata meta) {
    return isPlain(meta) ? options.fileMode(meta.mode()) & 0777 : 0600;
  }

  private static boolean isPlain(FileMetadata meta) {
    return meta.owner() == null && meta.xattrs().isEmpty();
  }

  /** Creates a child directory that only its owner can access. */
  PendingDirectory mkdir(PendingDirectory parent, NodeEntry.Directory child) throws IOException {
    OpenDirectory in = parent.directory();
    try {
      in.mkdir(child.name(), 0700);
    } catch (PosixException e) {
      throw explained(e, parent, child.name());
    }
    return new PendingDirectory(parent, child, in.openChild(child.name()));
  }

  void symlink(PendingDirectory directory, NodeEntry.Symlink link) throws IOException {
    OpenDirectory in = directory.directory();
    try {
      in.symlink(link.name(), link.target());
    } catch (PosixException e) {
      throw explained(e, directory, link.name());
    }
    in.setModified(link.name(), link.seconds(), link.nanos());
  }

  static IOException explained(PosixException e, PendingDirectory directory, String name) {
    if (!e.isTaken()) {
      return e;
    }
    SnapshotException taken =
        new SnapshotException.DuplicateEntry(
            "'%s' already exists: this file system cannot distinguish two names of the tree"
                .formatted(RawName.display(directory.path(name))));
    taken.initCause(e);
    return taken;
  }

  /** Sets the metadata of a file after its content is written. */
  void finish(OpenFile open, PendingDirectory directory, NodeEntry.File file) throws IOException {
    FileMetadata meta = file.meta();
    int mode = options.fileMode(meta.mode());
    if (isPlain(meta)) {
      if (mode != (firstMode(meta) & ~umask)) {
        open.chmod(mode);
      }
    } else {
      String path = directory.path(file.name());
      mode = common(open, meta, mode, path);
      int meanwhile = DeferredModeSetter.meanwhileOfFile(meta, mode);
      if (meanwhile != mode) {
        lateModes.add(directory.path(), file.name(), mode);
      }
      open.chmod(meanwhile);
    }
    open.setModified(meta.seconds(), meta.nanos());
  }

  /**
   * Like {@link #finish(OpenFile, PendingDirectory, NodeEntry.File)}, after all entries of the
   * directory are written.
   */
  void finish(OpenDirectory open, PendingDirectory directory) throws IOException {
    FileMetadata meta = directory.entry.meta();
    int mode = options.directoryMode(meta.mode());
    if (!isPlain(meta)) {
      mode = common(open, meta, mode, directory.path());
    }
    int meanwhile = DeferredModeSetter.meanwhileOfDirectory(mode);
    if (meanwhile != mode) {
      PendingDirectory parent = directory.parent;
      lateModes.add(parent == null ? "" : parent.path(), directory.entry.name(), mode);
    }
    open.chmod(meanwhile);
    open.setModified(meta.seconds(), meta.nanos());
  }

  /**
   * @return the mode to set: without special bits if the owner of a file could not be set
   */
  private int common(FileHandle open, FileMetadata meta, int mode, String path) throws IOException {
    return FileAttributeWriter.set(open, meta, mode, why -> degraded.add(path, why));
  }
}
