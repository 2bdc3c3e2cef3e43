/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkSink;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FastCdcChunker;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads files, one after another, into chunks. Thread-confined. */
final class FileChunkReader {
  /** Maximum number of reads of a file that changes while it is read. */
  static final int MAX_READS = 3;

  /** Minimum length of data or a hole in bytes: no file system has smaller blocks. */
  private static final int LEAST_PIECE = 512;

  private final ChunkSink sink;
  private final ChunkSizes sizes;
  private final int maxWindow;
  private final FileContentScanner scanner;
  private final StatBuffer before = new StatBuffer();
  private final StatBuffer after = new StatBuffer();
  private byte[] window = new byte[64 << 10];
  private List<Extent> extents = List.of();
  private FileAttributeReader.Kept attributes = new FileAttributeReader.Kept(List.of(), null);
  private long size;
  private FileContentScanner.@Nullable ContentScan scan;

  /**
   * @param scanner of the content of each file
   */
  FileChunkReader(ChunkSink sink, ChunkSizes sizes, FileContentScanner scanner) {
    this.sink = sink;
    this.sizes = sizes;
    this.scanner = scanner;
    this.maxWindow = 2 * sizes.max();
  }

  /** Returns the attributes of the last file, from the start of the read. */
  StatBuffer stat() {
    return before;
  }

  /** Returns the extents of the last file. */
  List<Extent> extents() {
    return extents;
  }

  /** Returns the extended attributes of the last file. */
  FileAttributeReader.Kept attributes() {
    return attributes;
  }

  /**
   * Returns the number of bytes read from the last file: less than its size if it was truncated
   * during the read.
   */
  long size() {
    return size;
  }

  /**
   * Reads a file, at most {@value #MAX_READS} times.
   *
   * @return whether the file did not change during the last read; if false, the content may be
   *     inconsistent
   * @throws dev.baton.snapshot.posix.NotRegularException if it is not, or no longer, a regular file
   * @throws RefusedContentException if its content must be left out
   * @throws SnapshotException.TooLarge if it has more data than a snapshot can store
   */
  boolean read(OpenDirectory directory, String name) throws IOException, InterruptedException {
    for (int reading = 1; ; reading++) {
      boolean last = reading == MAX_READS;
      boolean same;
      try (OpenFile file = directory.openForReading(name, before)) {
        // A file with too many holes is read as if it had none: the holes become zeros.
        boolean sparse = before.allocated < before.size && !isPerforated(file);
        same = readOnce(file, sparse, last);
      }
      if (same || last) {
        return same;
      }
    }
  }

  /** Returns whether the file has more data and holes than a snapshot can store. */
  private boolean isPerforated(OpenFile file) throws IOException {
    if (before.size / ExtentListCodec.MAX < LEAST_PIECE) {
      return false;
    }
    long at = 0;
    for (int pieces = 0; pieces < ExtentListCodec.MAX / 2; pieces++) {
      long start = file.seekData(at);
      at = start < 0 ? -1 : file.seekHole(start);
      if (at < 0 || at >= before.size) {
        return false;
      }
    }
    return true;
  }

  private boolean readOnce(OpenFile file, boolean sparse, boolean last)
      throws IOException, InterruptedException {
    extents = new ArrayList<>();
    size = 0;
    boolean whole = before.size <= sizes.whole() && !sparse;
    int length = 0;
    if (!whole && !sparse) {
      scanWhole(file);
    }
    scan = scanner.begin();
    if (whole) {
      length = fill(file, 0, 0, (int) before.size);
    } else if (sparse) {
      parts(file);
    } else {
      content(file, 0, before.size);
    }
    attributes = FileAttributeReader.read(file);
    file.stat(after);
    boolean same = after.sameContent(before) && (whole ? length : size) == before.size;
    if (whole && (same || last)) {
      // Only now: a file that is still being written usually need not be stored in this state.
      data(0, length);
    }
    return same;
  }

  /**
   * Scans a file with several chunks before any of them is passed on: refused content may begin in
   * one of them and end in another.
   */
  private void scanWhole(OpenFile file) throws IOException {
    FileContentScanner.ContentScan first = scanner.begin();
    if (first == null) {
      return;
    }
    for (long position = 0; position < before.size; ) {
      int want = (int) Math.min(maxWindow, before.size - position);
      int got = fill(file, position, 0, want);
      check(first, 0, got);
      position += got;
      if (got < want) {
        return;
      }
    }
  }

  private void check(FileContentScanner.ContentScan with, int offset, int length)
      throws RefusedContentException {
    if (!with.accept(window, offset, length)) {
      throw new RefusedContentException();
    }
  }

  /** Reads data and holes as the file system reports them. */
  private void parts(OpenFile file) throws IOException, InterruptedException {
    long end = before.size;
    for (long at = 0; at < end; ) {
      long start = file.seekData(at);
      if (start < 0 || start > end) {
        start = end;
      }
      if (start > at) {
        hole(start - at);
      }
      if (start == end) {
        return;
      }
      long hole = file.seekHole(start);
      long stop = hole < 0 ? end : Math.min(hole, end);
      if (!content(file, start, stop)) {
        return;
      }
      at = stop;
    }
  }

  private void hole(long length) throws SnapshotException {
    if (!extents.isEmpty() && extents.getLast() instanceof Extent.Hole(long before)) {
      extents.removeLast();
      size -= before;
      hole(before + length);
      return;
    }
    add(new Extent.Hole(length));
  }

  /** Returns false if the file ended before {@code stop}. */
  private boolean content(OpenFile file, long start, long stop)
      throws IOException, InterruptedException {
    long position = start;
    long end = stop;
    int filled = 0;
    int from = 0;
    boolean whole = stop - start <= sizes.whole();
    while (true) {
      if (filled - from < sizes.max() && position < end) {
        System.arraycopy(window, from, window, 0, filled - from);
        filled -= from;
        from = 0;
        int want = (int) Math.min(maxWindow - filled, end - position);
        int got = fill(file, position, filled, want);
        filled += got;
        position += got;
        if (got < want) {
          end = position;
        }
      }
      if (filled == from) {
        return end == stop;
      }
      int length = whole ? filled - from : FastCdcChunker.next(window, from, filled - from, sizes);
      data(from, length);
      from += length;
    }
  }

  private int fill(OpenFile file, long position, int at, int length) throws IOException {
    if (window.length < at + length) {
      window = Arrays.copyOf(window, at + length <= sizes.whole() ? sizes.whole() : maxWindow);
    }
    return file.readAt(position, window, at, length);
  }

  private void data(int offset, int length) throws IOException, InterruptedException {
    if (length == 0) {
      return;
    }
    if (scan != null) {
      check(scan, offset, length);
    }
    Chunk chunk = Chunk.of(Chunk.Kind.DATA, window, offset, length);
    sink.accept(chunk);
    add(new Extent.Data(chunk.hash(), length));
  }

  private void add(Extent extent) throws SnapshotException {
    if (extents.size() == ExtentListCodec.MAX) {
      throw ExtentListCodec.tooMany();
    }
    extents.add(extent);
    size += extent.length();
  }
}
