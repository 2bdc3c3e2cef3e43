/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes extents: in an entry, or as a separate chunk if there are many. */
public final class ExtentListCodec {
  /** Maximum number of extents of one file: the capacity of a chunk list. */
  public static final int MAX = (Chunk.MAX - 8) / 40;

  private static final int LEAST_BYTES = 2;

  private ExtentListCodec() {}

  /**
   * Builds the content for these extents; passes the chunk list to {@code sink} if they do not fit
   * in an entry.
   *
   * @throws SnapshotException.TooLarge above {@link #MAX} extents
   */
  public static FileContent content(List<Extent> extents, ChunkSink sink)
      throws IOException, InterruptedException {
    if (extents.size() <= FileContent.Inline.MAX) {
      return new FileContent.Inline(extents);
    }
    byte[] list = encode(extents);
    Chunk chunk = Chunk.of(Chunk.Kind.NODE, list, 0, list.length);
    sink.accept(chunk);
    return new FileContent.Listed(chunk.hash());
  }

  /** Reads all extents of a file, from the entry or from its chunk list. */
  public static List<Extent> of(NodeEntry.File file, ChunkSource source)
      throws IOException, InterruptedException {
    return switch (file.content()) {
      case FileContent.Inline(List<Extent> extents) -> extents;
      case FileContent.Listed(Hash list) -> {
        byte[] bytes = source.read(list);
        yield decode(bytes, 0, bytes.length, file.size());
      }
    };
  }

  /** Creates the error for a file with more than {@link #MAX} extents. */
  public static SnapshotException.TooLarge tooMany() {
    return new SnapshotException.TooLarge(
        "a file of more than %d extents cannot be kept".formatted(MAX));
  }

  static byte[] encode(List<Extent> extents) throws SnapshotException {
    if (extents.size() > MAX) {
      throw tooMany();
    }
    ByteWriter out = new ByteWriter(16 + extents.size() * 40).ascii("BL").u8(1);
    write(extents, out);
    return out.toBytes();
  }

  static List<Extent> decode(byte[] bytes, int offset, int length, long fileSize)
      throws SnapshotException {
    ByteReader in = new ByteReader("chunk list", bytes, offset, length);
    in.magic("BL\u0001");
    List<Extent> extents = read(in, MAX, fileSize);
    if (extents.size() <= FileContent.Inline.MAX) {
      throw new NotCanonical(
          "chunk list: %d extents belong in the entry".formatted(extents.size()));
    }
    in.end();
    return extents;
  }

  static void write(List<Extent> extents, ByteWriter out) {
    out.varint(extents.size());
    for (Extent extent : extents) {
      switch (extent) {
        case Extent.Data(Hash chunk, int size) -> out.u8(0).hash(chunk).varint(size);
        case Extent.Hole(long length) -> out.u8(1).varint(length);
      }
    }
  }

  /** Reads extents whose sum is {@code fileSize}. */
  static List<Extent> read(ByteReader in, int most, long fileSize) throws SnapshotException {
    int count = in.count(most, LEAST_BYTES, "extents");
    List<Extent> extents = new ArrayList<>(count);
    long left = fileSize;
    boolean afterHole = false;
    for (int i = 0; i < count; i++) {
      int tag = in.u8();
      if (tag > 1) {
        throw new Corrupt(in.message("an extent of kind %d; 0 and 1 are known".formatted(tag)));
      }
      Extent extent = tag == 0 ? data(in) : hole(in, afterHole);
      afterHole = tag == 1;
      if (extent.length() > left) {
        throw new Corrupt(in.message("extents are more than the file's size " + fileSize));
      }
      left -= extent.length();
      extents.add(extent);
    }
    if (left != 0) {
      throw new Corrupt(
          in.message(
              "extents are %d bytes less than the file's size %d".formatted(left, fileSize)));
    }
    return extents;
  }

  private static Extent data(ByteReader in) throws SnapshotException {
    Hash hash = in.hash();
    return new Extent.Data(hash, (int) atLeastOne(in, FastCdcChunker.MAX));
  }

  private static Extent hole(ByteReader in, boolean afterHole) throws SnapshotException {
    if (afterHole) {
      throw new NotCanonical(in.message("two holes in a row are one"));
    }
    return new Extent.Hole(atLeastOne(in, Long.MAX_VALUE));
  }

  private static long atLeastOne(ByteReader in, long most) throws SnapshotException {
    long length = in.varint(most, "the length of an extent");
    if (length == 0) {
      throw new NotCanonical(in.message("an extent of no bytes"));
    }
    return length;
  }

  static void requireSum(List<Extent> extents, long size) {
    long left = size;
    boolean afterHole = false;
    for (Extent extent : extents) {
      boolean hole = extent instanceof Extent.Hole;
      if (extent.length() > left || (hole && afterHole)) {
        throw new IllegalArgumentException(
            "extents must be the file's %d bytes, without two holes in a row: %s"
                .formatted(size, extents));
      }
      afterHole = hole;
      left -= extent.length();
    }
    if (left != 0) {
      throw new IllegalArgumentException(
          "extents must be the file's %d bytes, not %d less".formatted(size, left));
    }
  }
}
