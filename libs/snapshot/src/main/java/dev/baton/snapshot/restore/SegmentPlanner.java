/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.NodeEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Groups the files of a tree, in order, into segments with the blocks they need. One thread. */
final class SegmentPlanner {
  private final RestorePipeline pipeline;
  private final PackReader packs;
  private final ChunkSource lists;
  private final DirectoryFinalizer ends;
  private final WrittenChunkIndex places;
  private RestoreSegment segment = new RestoreSegment();

  SegmentPlanner(
      RestorePipeline pipeline, PackReader packs, ChunkSource lists, DirectoryFinalizer ends) {
    this.pipeline = pipeline;
    this.packs = packs;
    this.lists = lists;
    this.ends = ends;
    places = new WrittenChunkIndex(packs.table().size());
  }

  void symlink(PendingDirectory directory, NodeEntry.Symlink link)
      throws IOException, InterruptedException {
    directory.retain();
    segment.add(new WriteTask.Link(directory, link));
    segment.count(0, 1);
    submitIfFull();
  }

  void file(PendingDirectory directory, NodeEntry.File file)
      throws IOException, InterruptedException {
    List<Extent> extents = ExtentListCodec.of(file, lists);
    long chunks = extents.stream().filter(Extent.Data.class::isInstance).count();
    if (chunks > 1 || file.content() instanceof FileContent.Listed) {
      large(directory, file, extents, chunks < extents.size());
    } else {
      small(directory, file, extents);
    }
    submitIfFull();
  }

  private void small(PendingDirectory directory, NodeEntry.File file, List<Extent> extents)
      throws IOException, InterruptedException {
    List<WriteTask.Piece> pieces = List.of();
    long position = 0;
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data data) {
        pieces = List.of(piece(directory, file, data, position));
      }
      position += extent.length();
    }
    directory.retain();
    boolean endsInHole = !extents.isEmpty() && extents.getLast() instanceof Extent.Hole;
    segment.add(new WriteTask.Small(directory, file, pieces, endsInHole));
    segment.count(file.size(), 1);
  }

  /** Splits the file into parts, each in one segment. */
  private void large(
      PendingDirectory directory, NodeEntry.File file, List<Extent> extents, boolean hasHoles)
      throws IOException, InterruptedException {
    LargeFile large = ends.opened(new LargeFile(directory, file, hasHoles));
    RestoreSegment in = segment;
    List<WriteTask.Piece> pieces = new ArrayList<>();
    long position = 0;
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data data) {
        WriteTask.Piece piece = piece(directory, file, data, position);
        if (pieces.isEmpty() || in != segment) {
          in = segment;
          pieces = new ArrayList<>();
          large.retain();
          segment.add(new WriteTask.Part(large, pieces));
        }
        pieces.add(piece);
      }
      segment.count(extent.length(), position == 0 ? 1 : 0);
      position += extent.length();
      submitIfFull();
    }
    ends.release(large);
  }

  private WriteTask.Piece piece(
      PendingDirectory directory, NodeEntry.File file, Extent.Data data, long position)
      throws IOException, InterruptedException {
    int entry = packs.find(data.chunk());
    ChunkTable table = packs.table();
    PackReader.requireLength(data.chunk(), table.length(entry), data.size());
    WriteTask.InFile written = places.find(entry);
    places.put(entry, directory, file.name(), position);
    WriteTask.Source source = written;
    PipelineBlock block = known(table.pack(entry), table.block(entry));
    // A block is kept until its segments are written; so if it was evicted, the chunk can be read
    // from the file.
    if (block == null && written == null) {
      block = load(table.pack(entry), table.block(entry));
    }
    if (block != null) {
      source = new WriteTask.InBlock(block, table.offset(entry));
    }
    return new WriteTask.Piece(data.chunk(), Objects.requireNonNull(source), data.size(), position);
  }

  private @Nullable PipelineBlock known(int pack, int number) throws IOException {
    PipelineBlock block = segment.find(pack, number);
    if (block == null) {
      block = pipeline.useIfKnown(pack, number);
      if (block != null) {
        segment.need(block);
      }
    }
    return block;
  }

  /**
   * Waits for space if needed; submits the current segment first, because other segments may wait
   * for its blocks.
   */
  private PipelineBlock load(int pack, int number) throws IOException, InterruptedException {
    int rawLength = packs.span(pack, number).rawLength();
    PipelineBlock block = pipeline.tryUse(pack, number, rawLength);
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

  /** Passes the planned files to the writers. */
  void submit() throws IOException, InterruptedException {
    if (!segment.isEmpty()) {
      pipeline.submit(segment);
      segment = new RestoreSegment();
    }
  }
}
