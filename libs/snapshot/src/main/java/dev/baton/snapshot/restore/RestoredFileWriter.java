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

/** Makes files, links and directories with what they have besides content. Thread-safe. */
final class RestoredFileWriter {
  private final RestoreOptions options;
  private final int umask;
  private final AttributeLossCollector degraded;
  private final DeferredModeSetter lateModes;

  /**
   * @param umask bits that a new file does not get
   */
  RestoredFileWriter(
      RestoreOptions options,
      int umask,
      AttributeLossCollector degraded,
      DeferredModeSetter lateModes) {
    this.options = options;
    this.umask = umask;
    this.degraded = degraded;
    this.lateModes = lateModes;
  }

  OpenFile create(PendingDirectory directory, NodeEntry.File file) throws IOException {
    try {
      return directory.directory().create(file.name(), firstMode(file.meta()));
    } catch (PosixException e) {
      throw explained(e, directory, file.name());
    }
  }

  /** With the right mode from the start there is nothing more to be set for most files. */
  private int firstMode(FileMetadata meta) {
    return isPlain(meta) ? options.fileMode(meta.mode()) & 0777 : 0600;
  }

  private static boolean isPlain(FileMetadata meta) {
    return meta.owner() == null && meta.xattrs().isEmpty();
  }

  /** A child, to be filled by its owner alone. */
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
            "'%s' is there already: this file system takes two names of the tree for one"
                .formatted(RawName.display(directory.path(name))));
    taken.initCause(e);
    return taken;
  }

  /** Sets what a written file has besides its bytes. */
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
   * As {@link #finish(OpenFile, PendingDirectory, NodeEntry.File)}, once all that is in it is
   * there.
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
   * @return the mode that may be set: of a file whose owner could not be set, no special bit
   */
  private int common(FileHandle open, FileMetadata meta, int mode, String path) throws IOException {
    return FileAttributeWriter.set(open, meta, mode, why -> degraded.add(path, why));
  }
}
