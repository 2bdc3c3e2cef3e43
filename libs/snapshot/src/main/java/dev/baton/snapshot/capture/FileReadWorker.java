/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.TimestampTrustPolicy;
import java.io.IOException;
import java.util.List;
import java.util.Queue;

/** Reads batches of files in one thread and passes on their chunks. Thread-confined. */
final class FileReadWorker implements AutoCloseable {
  private final CloseableChunkSink outlet;
  private final FileChunkReader reader;
  private final CompositeChunkRegistry composites;
  private final Queue<SkippedEntry> skipped;

  /**
   * @param outlet flushed and closed by this worker
   * @param scanner of the content of files
   * @param skipped thread-safe
   */
  FileReadWorker(
      CloseableChunkSink outlet,
      ChunkSizes sizes,
      FileContentScanner scanner,
      CompositeChunkRegistry composites,
      Queue<SkippedEntry> skipped) {
    this.outlet = outlet;
    this.reader = new FileChunkReader(outlet, sizes, scanner);
    this.composites = composites;
    this.skipped = skipped;
  }

  void read(FileBatch batch) throws IOException, InterruptedException {
    for (int file : batch.files()) {
      read(batch, file);
    }
  }

  private void read(FileBatch batch, int file) throws IOException, InterruptedException {
    DirState directory = batch.directory();
    String name = directory.name(file);
    long began = System.currentTimeMillis();
    boolean same;
    try {
      same = reader.read(batch.in().directory(), name);
    } catch (NotRegularException e) {
      skip(batch, file, SkippedEntry.Reason.VANISHED, "replaced by another kind of file");
      return;
    } catch (RefusedContentException e) {
      skip(batch, file, SkippedEntry.Reason.CONTENT_REFUSED, "its content is refused");
      return;
    } catch (SnapshotException.TooLarge e) {
      skip(batch, file, SkippedEntry.Reason.UNREADABLE, String.valueOf(e.getMessage()));
      return;
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      skip(batch, file, SkippedEntry.Reason.of(e), String.valueOf(e.getMessage()));
      return;
    }
    FileContent content = content();
    if (!directory.needsReading(file)) {
      requireKnown(batch, file, content);
      return;
    }
    if (!same) {
      String detail = "written during each of " + FileChunkReader.MAX_READS + " reads";
      skipped.add(
          new SkippedEntry(path(batch, file), SkippedEntry.Reason.CHANGED_WHILE_READ, detail));
    }
    String lost = reader.attributes().lost();
    if (lost != null) {
      skipped.add(new SkippedEntry(path(batch, file), SkippedEntry.Reason.ATTRIBUTES_LOST, lost));
    }
    reader.stat().size = reader.size();
    directory.learn(
        file,
        reader.stat(),
        reader.attributes().xattrs(),
        content,
        // Lost attributes must be reported by each capture, so the file is read again.
        same && lost == null && TimestampTrustPolicy.before(reader.stat(), began));
  }

  private FileContent content() throws IOException, InterruptedException {
    FileContent content = ExtentListCodec.content(reader.extents(), outlet);
    if (content instanceof FileContent.Listed(var list)) {
      List<Extent> extents = reader.extents();
      composites.put(
          list,
          extents.stream()
              .filter(Extent.Data.class::isInstance)
              .map(extent -> ((Extent.Data) extent).chunk())
              .toList());
    }
    return content;
  }

  /** Checks a file that was read only to store it again: its content must be unchanged. */
  private static void requireKnown(FileBatch batch, int file, FileContent content)
      throws TreeMovedException {
    if (!content.equals(batch.directory().content(file))) {
      throw new TreeMovedException(path(batch, file));
    }
  }

  private void skip(FileBatch batch, int file, SkippedEntry.Reason reason, String detail)
      throws TreeMovedException {
    if (!batch.directory().needsReading(file)) {
      throw new TreeMovedException(path(batch, file));
    }
    batch.directory().skip(file);
    skipped.add(new SkippedEntry(path(batch, file), reason, detail));
  }

  private static String path(FileBatch batch, int file) {
    return RawPathFormatter.child(batch.path(), batch.directory().name(file));
  }

  /** Passes on buffered chunks. */
  void flush() throws IOException, InterruptedException {
    outlet.flush();
  }

  @Override
  public void close() {
    outlet.close();
  }
}
