/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.Content;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentList;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.Settled;
import java.io.IOException;
import java.util.List;
import java.util.Queue;

/** One thread's share of reading: batches in, blocks of chunks out. Thread-confined. */
final class ReadFiles implements AutoCloseable {
  private final Outlet outlet;
  private final FileReader reader;
  private final Composites composites;
  private final Queue<Skipped> skipped;

  /**
   * @param outlet flushed and closed here
   * @param skipped thread-safe
   */
  ReadFiles(Outlet outlet, Composites composites, Queue<Skipped> skipped) {
    this.outlet = outlet;
    this.reader = new FileReader(outlet);
    this.composites = composites;
    this.skipped = skipped;
  }

  void read(Batch batch) throws IOException, InterruptedException {
    for (int file : batch.files()) {
      read(batch, file);
    }
  }

  private void read(Batch batch, int file) throws IOException, InterruptedException {
    DirState directory = batch.directory();
    String name = directory.name(file);
    long began = System.currentTimeMillis();
    boolean same;
    try {
      same = reader.read(batch.in().directory(), name);
    } catch (NotRegularException e) {
      skip(batch, file, Skipped.Reason.VANISHED, "replaced by another kind of file");
      return;
    } catch (SnapshotException.TooLarge e) {
      skip(batch, file, Skipped.Reason.UNREADABLE, String.valueOf(e.getMessage()));
      return;
    } catch (PosixException e) {
      if (e.isExhausted()) {
        throw e;
      }
      skip(batch, file, Skipped.Reason.of(e), String.valueOf(e.getMessage()));
      return;
    }
    Content content = content();
    if (!directory.needsReading(file)) {
      requireKnown(batch, file, content);
      return;
    }
    if (!same) {
      String detail = "written during each of " + FileReader.MAX_READS + " reads";
      skipped.add(new Skipped(path(batch, file), Skipped.Reason.CHANGED_WHILE_READ, detail));
    }
    String lost = reader.attributes().lost();
    if (lost != null) {
      skipped.add(new Skipped(path(batch, file), Skipped.Reason.ATTRIBUTES_LOST, lost));
    }
    reader.stat().size = reader.size();
    directory.learn(
        file,
        reader.stat(),
        reader.attributes().xattrs(),
        content,
        // What was lost is to be told each time.
        same && lost == null && Settled.before(reader.stat(), began));
  }

  private Content content() throws IOException, InterruptedException {
    Content content = ExtentList.content(reader.extents(), outlet);
    if (content instanceof Content.Listed(var list)) {
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

  /** It was read only to be stored once more. */
  private static void requireKnown(Batch batch, int file, Content content)
      throws TreeMovedException {
    if (!content.equals(batch.directory().content(file))) {
      throw new TreeMovedException(path(batch, file));
    }
  }

  private void skip(Batch batch, int file, Skipped.Reason reason, String detail)
      throws TreeMovedException {
    if (!batch.directory().needsReading(file)) {
      throw new TreeMovedException(path(batch, file));
    }
    batch.directory().skip(file);
    skipped.add(new Skipped(path(batch, file), reason, detail));
  }

  private static String path(Batch batch, int file) {
    return Paths.child(batch.path(), batch.directory().name(file));
  }

  /** Passes on what is left. */
  void flush() throws IOException, InterruptedException {
    outlet.flush();
  }

  @Override
  public void close() {
    outlet.close();
  }
}
