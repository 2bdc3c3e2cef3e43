/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Content;
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns the files of a tree, in order, into segments with the blocks they need. One thread. */
final class SegmentPlanner {
  private final Pipeline pipeline;
  private final PackReader packs;
  private final ChunkSource lists;
  private final DirectoryEnd ends;
  private final FirstPlaces places;
  private Segment segment = new Segment();

  SegmentPlanner(Pipeline pipeline, PackReader packs, ChunkSource lists, DirectoryEnd ends) {
    this.pipeline = pipeline;
    this.packs = packs;
    this.lists = lists;
    this.ends = ends;
    places = new FirstPlaces(packs.table().size());
  }

  void symlink(WorkDirectory directory, Entry.Symlink link)
      throws IOException, InterruptedException {
    directory.retain();
    segment.add(new Task.Link(directory, link));
    segment.count(0, 1);
    submitIfFull();
  }

  void file(WorkDirectory directory, Entry.File file) throws IOException, InterruptedException {
    List<Extent> extents = ExtentList.of(file, lists);
    long chunks = extents.stream().filter(Extent.Data.class::isInstance).count();
    if (chunks > 1 || file.content() instanceof Content.Listed) {
      large(directory, file, extents, chunks < extents.size());
    } else {
      small(directory, file, extents);
    }
    submitIfFull();
  }

  private void small(WorkDirectory directory, Entry.File file, List<Extent> extents)
      throws IOException, InterruptedException {
    List<Task.Piece> pieces = List.of();
    long position = 0;
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data data) {
        pieces = List.of(piece(directory, file, data, position));
      }
      position += extent.length();
    }
    directory.retain();
    boolean endsInHole = !extents.isEmpty() && extents.getLast() instanceof Extent.Hole;
    segment.add(new Task.Small(directory, file, pieces, endsInHole));
    segment.count(file.size(), 1);
  }

  /** Its parts may be in several segments; a part ends where its segment does. */
  private void large(
      WorkDirectory directory, Entry.File file, List<Extent> extents, boolean hasHoles)
      throws IOException, InterruptedException {
    LargeFile large = ends.opened(new LargeFile(directory, file, hasHoles));
    Segment in = segment;
    List<Task.Piece> pieces = new ArrayList<>();
    long position = 0;
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data data) {
        Task.Piece piece = piece(directory, file, data, position);
        if (pieces.isEmpty() || in != segment) {
          in = segment;
          pieces = new ArrayList<>();
          large.retain();
          segment.add(new Task.Part(large, pieces));
        }
        pieces.add(piece);
      }
      segment.count(extent.length(), position == 0 ? 1 : 0);
      position += extent.length();
      submitIfFull();
    }
    ends.release(large);
  }

  private Task.Piece piece(
      WorkDirectory directory, Entry.File file, Extent.Data data, long position)
      throws IOException, InterruptedException {
    int entry = packs.find(data.chunk());
    ChunkTable table = packs.table();
    PackReader.requireLength(data.chunk(), table.length(entry), data.size());
    Task.InFile written = places.find(entry);
    places.put(entry, directory, file.name(), position);
    Task.Source source = written;
    Block block = known(table.pack(entry), table.block(entry));
    // A block stays until the segments that need it are written: where it is gone, they are.
    if (block == null && written == null) {
      block = load(table.pack(entry), table.block(entry));
    }
    if (block != null) {
      source = new Task.InBlock(block, table.offset(entry));
    }
    return new Task.Piece(data.chunk(), Objects.requireNonNull(source), data.size(), position);
  }

  private @Nullable Block known(int pack, int number) throws IOException {
    Block block = segment.find(pack, number);
    if (block == null) {
      block = pipeline.useIfKnown(pack, number);
      if (block != null) {
        segment.need(block);
      }
    }
    return block;
  }

  /** Waits for room, if need be, with nothing in hand that others could wait for. */
  private Block load(int pack, int number) throws IOException, InterruptedException {
    int rawLength = packs.span(pack, number).rawLength();
    Block block = pipeline.tryUse(pack, number, rawLength);
    if (block == null) {
      submit();
      block = pipeline.use(pack, number, rawLength);
    }
    segment.need(block);
    return block;
  }

  private void submitIfFull() throws IOException, InterruptedException {
    if (segment.isFull()) {
      submit();
    }
  }

  /** What has been planned so far goes to the writers. */
  void submit() throws IOException, InterruptedException {
    if (!segment.isEmpty()) {
      pipeline.submit(segment);
      segment = new Segment();
    }
  }
}
