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
import dev.baton.snapshot.SnapshotException.UnsafeName;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes nodes. Each node has exactly one valid encoding, and no other is decoded, so
 * equal trees have equal digests and two digests never identify the same tree.
 */
public final class NodeCodec {
  static final String LEAF = "BN\u0001L";
  static final String BRANCH = "BN\u0001B";
  private static final int LEAST_ENTRY = 5;

  private NodeCodec() {}

  /**
   * Encodes a node. {@link NodeWriter} encodes directories of any size.
   *
   * @throws SnapshotException if the node could not be decoded: names not in ascending order, a
   *     leaf that should have been split
   */
  public static byte[] encode(DirectoryNode node) throws SnapshotException {
    ByteWriter out = new ByteWriter(256);
    switch (node) {
      case DirectoryNode.Leaf(List<NodeEntry> entries) -> {
        out.ascii(LEAF).varint(entries.size());
        entries.forEach(entry -> EntryCodec.write(entry, out));
      }
      case DirectoryNode.Branch(List<Hash> leaves) -> {
        out.ascii(BRANCH).varint(leaves.size());
        leaves.forEach(out::hash);
      }
    }
    boolean root = node instanceof DirectoryNode.Leaf(List<NodeEntry> es) && isRoot(es);
    decode(out.array(), 0, out.length(), root);
    return out.toBytes();
  }

  private static boolean isRoot(List<NodeEntry> entries) {
    return entries.size() == 1 && entries.getFirst().name().isEmpty();
  }

  /** Decodes the node of a directory. Every entry has a name. */
  public static DirectoryNode decode(byte[] bytes, int offset, int length)
      throws SnapshotException {
    return decode(bytes, offset, length, false);
  }

  public static DirectoryNode decode(byte[] bytes) throws SnapshotException {
    return decode(bytes, 0, bytes.length);
  }

  /** Decodes the root node of a tree: its single entry is a directory without a name. */
  public static NodeEntry.Directory decodeRoot(byte[] bytes, int offset, int length)
      throws SnapshotException {
    DirectoryNode node = decode(bytes, offset, length, true);
    if (node instanceof DirectoryNode.Leaf(List<NodeEntry> entries)
        && isRoot(entries)
        && entries.getFirst() instanceof NodeEntry.Directory root) {
      return root;
    }
    throw new Corrupt("root node: must be one directory without a name");
  }

  /** Encodes the root node; the hash of these bytes is the digest of the tree. */
  public static byte[] encodeRoot(FileMetadata meta, Hash node) {
    ByteWriter out = new ByteWriter(64).ascii(LEAF).varint(1);
    EntryCodec.write(new NodeEntry.Directory("", meta, node), out);
    return out.toBytes();
  }

  private static DirectoryNode decode(byte[] bytes, int offset, int length, boolean root)
      throws SnapshotException {
    if (length > Chunk.MAX) {
      throw new SnapshotException.TooLarge(
          "node: at most %d bytes, not %d".formatted(Chunk.MAX, length));
    }
    ByteReader in = new ByteReader("node", bytes, offset, length);
    in.magic(LEAF.substring(0, 3));
    int kind = in.u8();
    DirectoryNode node =
        switch (kind) {
          case 'L' -> leaf(in, root);
          case 'B' -> branch(in);
          default ->
              throw new Corrupt(
                  in.message("a node of kind %d; 'L' and 'B' are known".formatted(kind)));
        };
    in.end();
    return node;
  }

  private static DirectoryNode branch(ByteReader in) throws SnapshotException {
    int count = in.count(DirectoryNode.Branch.MAX, Hash.BYTES, "leaves");
    if (count < DirectoryNode.Branch.MIN) {
      throw new NotCanonical(in.message("a branch of " + count + " leaves"));
    }
    List<Hash> leaves = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      leaves.add(in.hash());
    }
    return new DirectoryNode.Branch(leaves);
  }

  private static DirectoryNode leaf(ByteReader in, boolean root) throws SnapshotException {
    int count = in.count(DirectoryNode.Leaf.MAX, LEAST_ENTRY, "entries");
    int start = in.position();
    List<NodeEntry> entries = new ArrayList<>(count);
    String before = "";
    for (int i = 0; i < count; i++) {
      NodeEntry entry = EntryCodec.read(in, root);
      if (entry.name().isEmpty() && count > 1) {
        throw new UnsafeName(in.message("an entry without a name next to other entries"));
      }
      if (i > 0) {
        EntryCodec.ascending(in, before, entry.name(), "entry");
      }
      if (i < count - 1 && LeafSplitPolicy.after(entry.name(), i + 1, in.position() - start)) {
        throw new NotCanonical(in.message("a leaf must end after entry " + i));
      }
      before = entry.name();
      entries.add(entry);
    }
    return new DirectoryNode.Leaf(entries);
  }
}
