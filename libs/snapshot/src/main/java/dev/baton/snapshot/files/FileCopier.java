/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Copies regular files, one after another: content with holes, mode, time, owner and extended
 * attributes. Thread-confined.
 */
public final class FileCopier {
  /** Maximum number of reads of a file that changes during the copy. */
  public static final int MAX_READS = 3;

  private final byte[] buffer = new byte[256 << 10];
  private final StatBuffer before = new StatBuffer();
  private final StatBuffer after = new StatBuffer();

  /**
   * Copies to a new file.
   *
   * @param lost receives the owner or attributes that could not be kept, as readable text
   * @return whether the source did not change during the last read; if false, the copy may be
   *     inconsistent
   * @throws IOException also if the name exists; a partial copy may remain after any error
   */
  public boolean copy(OpenFile source, OpenDirectory to, String name, Consumer<String> lost)
      throws IOException {
    try (OpenFile made = to.create(name, 0600)) {
      for (int reading = 1; ; reading++) {
        source.stat(before);
        content(source, made);
        FileAttributeReader.Kept kept = FileAttributeReader.read(source);
        source.stat(after);
        boolean same = after.sameContent(before);
        if (same || reading == MAX_READS) {
          if (kept.lost() != null) {
            lost.accept(kept.lost());
          }
          FileMetadata meta =
              new FileMetadata(
                  before.permissions(),
                  before.mtimeSeconds,
                  before.mtimeNanos,
                  FileAttributeReader.owner(before),
                  kept.xattrs());
          FileAttributeWriter.setAll(made, meta, lost);
          return same;
        }
        made.truncate(0);
      }
    }
  }

  private void content(OpenFile source, OpenFile made) throws IOException {
    long size = before.size;
    boolean sparse = before.allocated < size;
    long at = 0;
    while (at < size) {
      long start = sparse ? source.seekData(at) : at;
      if (start < 0 || start >= size) {
        break;
      }
      long hole = sparse ? source.seekHole(start) : size;
      long end = hole < 0 ? size : Math.min(hole, size);
      at = part(source, made, start, end);
      if (at < end) {
        // The source was truncated; truncate the copy.
        return;
      }
    }
    if (at < size) {
      made.truncate(size);
    }
  }

  private long part(OpenFile source, OpenFile made, long start, long end) throws IOException {
    long at = start;
    while (at < end) {
      int want = (int) Math.min(buffer.length, end - at);
      int got = source.readAt(at, buffer, 0, want);
      made.writeAt(at, buffer, 0, got);
      at += got;
      if (got < want) {
        break;
      }
    }
    return at;
  }
}
