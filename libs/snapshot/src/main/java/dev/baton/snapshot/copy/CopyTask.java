/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.copy;

import dev.baton.snapshot.SkippedEntry.Reason;
import dev.baton.snapshot.files.FileAttributeWriter;
import dev.baton.snapshot.files.FileCopier;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One directory of a copy. A thread copies its files; then each of its subdirectories is a task.
 * The thread that completes the last subdirectory sets the directory's own mode and time. If hard
 * links must still be created in it or below, it is closed and finished after the links.
 */
final class CopyTask {
  final @Nullable CopyTask parent;
  final DirState state;
  private final ParallelTreeCopier copying;
  private final String name;

  /** This task's own work, plus its children. */
  private final AtomicInteger unfinished = new AtomicInteger(1);

  /** This task's own work, plus children that are not yet opened. */
  private final AtomicInteger reading = new AtomicInteger(1);

  private volatile boolean awaitsLinks;
  private volatile @Nullable OpenDirectory source;
  private volatile @Nullable OpenDirectory made;

  CopyTask(ParallelTreeCopier copying, @Nullable CopyTask parent, String name, DirState state) {
    this.copying = copying;
    this.parent = parent;
    this.name = name;
    this.state = state;
  }

  /** Returns the path from the root, raw; empty for the root. */
  String path() {
    CopyTask above = parent;
    return above == null ? "" : above.path(name);
  }

  String path(String child) {
    String own = path();
    return own.isEmpty() ? child : own + "/" + child;
  }

  void run(FileCopier files) throws IOException {
    if (open()) {
      Deque<CopyTask> children = fill(files);
      while (!children.isEmpty()) {
        copying.push(children.removeLast());
      }
      stopReading();
    }
    release();
  }

  /** Returns false if the directory has vanished. */
  private boolean open() throws IOException {
    CopyTask above = parent;
    if (above == null) {
      source = copying.opened(copying.openSource());
      made = copying.made();
      return true;
    }
    try {
      if (state.size() > 0) {
        source = copying.opened(opened(above.source).openChild(name));
      }
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      copying.skip(path(), e);
      if (e.isReplaced()) {
        return false;
      }
    } finally {
      above.stopReading();
    }
    OpenDirectory in = opened(above.made);
    in.mkdir(name, 0700);
    made = copying.opened(in.openChild(name));
    return true;
  }

  private static OpenDirectory opened(@Nullable OpenDirectory directory) {
    if (directory == null) {
      throw new IllegalStateException("the directory above is not open");
    }
    return directory;
  }

  private Deque<CopyTask> fill(FileCopier files) throws IOException {
    Deque<CopyTask> children = new ArrayDeque<>();
    OpenDirectory from = source;
    if (from == null) {
      return children;
    }
    OpenDirectory to = opened(made);
    for (int i = 0; i < state.size() && !copying.isOver(); i++) {
      if (!state.isPresent(i)) {
        continue;
      }
      if (state.kind(i) == FileKind.DIRECTORY) {
        unfinished.incrementAndGet();
        reading.incrementAndGet();
        children.add(new CopyTask(copying, this, state.name(i), state.child(i)));
      } else if (state.kind(i) == FileKind.SYMLINK) {
        symlink(to, i);
      } else {
        file(files, from, to, i);
      }
    }
    return children;
  }

  private void symlink(OpenDirectory to, int i) throws IOException {
    String link = state.name(i);
    FileMetadata meta = state.meta(i);
    FileOwner owner = meta.owner();
    to.symlink(link, state.target(i));
    if (owner != null && ProcessCredentials.isSuperuser()) {
      to.chown(link, (int) owner.uid(), (int) owner.gid());
    }
    to.setModified(link, meta.seconds(), meta.nanos());
  }

  private void file(FileCopier files, OpenDirectory from, OpenDirectory to, int i)
      throws IOException {
    String file = state.name(i);
    // The directory of a link's target must also stay accessible until the link exists.
    if (state.links(i) > 1) {
      awaitsLinks = true;
    }
    String first = state.linkTo(i);
    if (first != null) {
      copying.linkLater(this, file, first);
    } else {
      copy(files, from, to, file);
    }
  }

  /** Returns false if the file is missing or not readable. */
  boolean copy(FileCopier files, OpenDirectory from, OpenDirectory to, String file)
      throws IOException {
    try (OpenFile open = openFile(from, file)) {
      if (open == null) {
        return false;
      }
      boolean same =
          files.copy(open, to, file, why -> copying.skip(path(file), Reason.ATTRIBUTES_LOST, why));
      if (!same) {
        String detail = "written during each of " + FileCopier.MAX_READS + " reads";
        copying.skip(path(file), Reason.CHANGED_WHILE_READ, detail);
      }
      return true;
    }
  }

  private @Nullable OpenFile openFile(OpenDirectory from, String file) throws IOException {
    try {
      return from.openForReading(file, new StatBuffer());
    } catch (NotRegularException e) {
      copying.skip(path(file), Reason.VANISHED, "replaced by another kind of file");
      return null;
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      copying.skip(path(file), e);
      return null;
    }
  }

  private void stopReading() throws IOException {
    if (reading.decrementAndGet() == 0) {
      copying.close(source);
    }
  }

  private void release() throws IOException {
    CopyTask each = this;
    while (each != null && each.unfinished.decrementAndGet() == 0) {
      each.end();
      each = each.parent;
    }
  }

  private void end() throws IOException {
    OpenDirectory open = made;
    CopyTask above = parent;
    if (open != null && awaitsLinks) {
      if (above != null) {
        above.awaitsLinks = true;
      }
      copying.awaitLinks(this);
    } else if (open != null && !copying.isOver()) {
      finish(open);
    }
    if (above == null) {
      copying.finished();
    } else {
      copying.close(open);
    }
  }

  /** Sets the metadata once all entries exist. */
  void finish(OpenDirectory open) throws IOException {
    FileAttributeWriter.setAll(
        open, state.meta(), why -> copying.skip(path(), Reason.ATTRIBUTES_LOST, why));
  }
}
