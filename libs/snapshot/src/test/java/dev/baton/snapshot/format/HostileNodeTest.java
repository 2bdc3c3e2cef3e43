/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.DuplicateEntry;
import dev.baton.snapshot.SnapshotException.LinkEscapes;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import dev.baton.snapshot.SnapshotException.TooLarge;
import dev.baton.snapshot.SnapshotException.TooManyEntries;
import dev.baton.snapshot.SnapshotException.UnsafeName;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class HostileNodeTest {
  private static final Hash HASH = Hash.of(new byte[] {1});

  @TestFactory
  Stream<DynamicTest> shouldRefuseNodes() {
    return Stream.of(
            names(), numbers(), shapes(), links(), extents(), metas(), directories(), roots())
        .flatMap(s -> s)
        .map(refusal -> dynamicTest(refusal.what(), refusal));
  }

  private static Stream<RefusedBytesCase> names() {
    return Stream.of(
        node("'..'", UnsafeName.class, "neither '.' nor '..'", link(leaf(1), "..")),
        node("'.'", UnsafeName.class, "neither '.' nor '..'", link(leaf(1), ".")),
        node("an absolute name", UnsafeName.class, "without '/'", link(leaf(1), "/etc")),
        node("a path", UnsafeName.class, "without '/'", link(leaf(1), "a/b")),
        node("NUL in a name", UnsafeName.class, "NUL", link(leaf(1), "a\0")),
        node("no name", UnsafeName.class, "1 to 255 bytes, not 0", link(leaf(1), "")),
        node("a name of 256 bytes", TooLarge.class, "255", link(leaf(1), "x".repeat(256))),
        node(
            "a name of 2^63 bytes",
            TooLarge.class,
            "not 9223372036854775808",
            leaf(1).varint(Long.MIN_VALUE).u8(0).u32le(0)),
        node("a name twice", DuplicateEntry.class, "'a'", link(link(leaf(2), "a"), "a")),
        node("names that descend", NotCanonical.class, "'a'", link(link(leaf(2), "b"), "a")),
        node(
            "names in the order of signed bytes",
            NotCanonical.class,
            "must come before",
            link(link(leaf(2), "\u00e4"), "a")));
  }

  private static Stream<RefusedBytesCase> numbers() {
    return Stream.of(
        node("a million entries", TooManyEntries.class, "1000000 entries", leaf(1_000_000)),
        node("2^60 entries", TooManyEntries.class, "at most 4096", leaf(1L << 60)),
        node("2^64 - 1 entries", TooManyEntries.class, "18446744073709551615", leaf(-1)),
        node("entries that are not there", Corrupt.class, "do not fit", leaf(4096)),
        node("2^60 leaves", TooManyEntries.class, "at most 65536", branch(1L << 60)),
        node("leaves that are not there", Corrupt.class, "do not fit", branch(65_536)),
        node(
            "a long form of a number",
            NotCanonical.class,
            "longer form",
            start('L').u8(0x80).u8(0)),
        node(
            "a number of 70 bits",
            Corrupt.class,
            "more than 64 bits",
            start('L').put(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, 2}, 0, 10)));
  }

  private static Stream<RefusedBytesCase> shapes() {
    return Stream.of(
        node("nothing", Corrupt.class, "ends too soon", new ByteWriter(1)),
        node("text", Corrupt.class, "begin", new ByteWriter(9).ascii("hello, node")),
        node("another version", Corrupt.class, "begin", new ByteWriter(9).ascii("BN\u0002L\0")),
        node("another kind of node", Corrupt.class, "kind 88", start('X').varint(0)),
        node("another kind of entry", Corrupt.class, "kind 99", leaf(1).raw("a").u8('c').u32le(0)),
        node("bytes after the end", Corrupt.class, "4 bytes too many", leaf(0).u32le(0)),
        node("a branch of one leaf", NotCanonical.class, "1 leaves", branch(1).hash(HASH)),
        node("a branch of none", NotCanonical.class, "0 leaves", branch(0)),
        node("a node of 8 MiB and a byte", TooLarge.class, "8388608", huge()));
  }

  private static ByteWriter huge() {
    return leaf(0).put(new byte[Chunk.MAX], 0, Chunk.MAX);
  }

  private static Stream<RefusedBytesCase> links() {
    return Stream.of(
        hardLink("'..'", "..", "neither '.' nor '..'"),
        hardLink("up and out", "a/../../etc/passwd", "neither '.' nor '..'"),
        hardLink("absolute", "/etc/passwd", "not 0"),
        hardLink("two slashes", "a//b", "not 0"),
        hardLink("NUL", "a\0b", "NUL"),
        hardLink("nothing", "", "1 to 524288 bytes"),
        node(
            "hard link to a gigabyte",
            TooLarge.class,
            "at most 524288",
            leaf(1).raw("a").u8('h').varint(1 << 30)),
        symlink("symbolic link to nothing", UnsafeName.class, ""),
        symlink("symbolic link with NUL", UnsafeName.class, "a\0b"),
        symlink("symbolic link of 4096 bytes", TooLarge.class, "x".repeat(4096)));
  }

  private static RefusedBytesCase hardLink(String what, String path, String message) {
    return node(
        "hard link: " + what, LinkEscapes.class, message, leaf(1).raw("a").u8('h').raw(path).u8(0));
  }

  private static RefusedBytesCase symlink(
      String what, Class<? extends SnapshotException> error, String target) {
    return node(
        what, error, "symbolic link", leaf(1).raw("a").u8('l').zigzag(1).varint(2).raw(target));
  }

  private static Stream<RefusedBytesCase> extents() {
    return Stream.of(
        node(
            "17 extents in an entry", TooManyEntries.class, "at most 16", file(9).u8(0).varint(17)),
        node("2^60 extents", TooManyEntries.class, "at most 16", file(9).u8(0).varint(1L << 60)),
        node("content of kind 2", Corrupt.class, "kind 2", file(9).u8(2).varint(0)),
        node("an extent of kind 2", Corrupt.class, "kind 2", file(9).u8(0).varint(1).u32le(2)),
        node("no extents for 9 bytes", Corrupt.class, "9 bytes less", file(9).u8(0).varint(0)),
        node("too little", Corrupt.class, "8 bytes less", chunk(file(9).u8(0).varint(1), 1)),
        node("too much", Corrupt.class, "more than the file's size 9", chunk(one(9), 10)),
        node("chunk of 4 MiB + 1", Corrupt.class, "at most 4194304", chunk(one(9), (4 << 20) + 1)),
        node("chunk of no bytes", NotCanonical.class, "no bytes", chunk(one(9), 0)),
        node("hole of no bytes", NotCanonical.class, "no bytes", one(9).u8(1).varint(0)),
        node(
            "lengths whose sum overflows to the size",
            Corrupt.class,
            "more than the file's size 1",
            file(1).u8(0).varint(3).u8(1).varint(Long.MAX_VALUE).u8(0).hash(HASH).varint(1)),
        node("negative hole", Corrupt.class, "at most", one(9).u8(1).varint(-1)),
        node(
            "two holes in a row",
            NotCanonical.class,
            "two holes",
            file(9).u8(0).varint(2).u8(1).varint(4).u8(1).varint(5)),
        node("negative size", Corrupt.class, "the size of a file", file(-1).u8(0).varint(0)),
        list(
            "a list of lists",
            Corrupt.class,
            "kind 2",
            header().varint(17).u8(2).put(new byte[34], 0, 34)),
        list("a list that is a node", Corrupt.class, "begin with 'BL", leaf(0)),
        list("a short list", NotCanonical.class, "belong in the entry", shortList()),
        list("2^60 extents in a list", TooManyEntries.class, "at most", header().varint(1L << 60)),
        list("extents that are not there", Corrupt.class, "do not fit", header().varint(200_000)));
  }

  private static Stream<RefusedBytesCase> metas() {
    return Stream.of(
        node("a mode of 010000", Corrupt.class, "a mode", entry('d').varint(010000)),
        node(
            "10^9 nanoseconds",
            Corrupt.class,
            "nanoseconds",
            entry('d').u8(0).u8(0).varint(1_000_000_000)),
        node("unknown flags", Corrupt.class, "flags", entry('d').u8(0).u8(0).u8(0).varint(4)),
        node("a uid of 2^32 - 1", Corrupt.class, "a uid", meta(1).varint(0xffff_ffffL)),
        node("no xattrs", NotCanonical.class, "and none", meta(2).varint(0)),
        node("257 xattrs", TooManyEntries.class, "at most 256", meta(2).varint(257)),
        node(
            "xattrs that descend",
            NotCanonical.class,
            "'a'",
            meta(2).varint(2).raw("b").raw("").raw("a").raw("")),
        node(
            "an xattr twice",
            DuplicateEntry.class,
            "'a'",
            meta(2).varint(2).raw("a").raw("").raw("a").raw("")),
        node("xattr without a name", UnsafeName.class, "not 0", meta(2).varint(1).raw("").raw("x")),
        node(
            "a value of a gigabyte",
            TooLarge.class,
            "65536",
            meta(2).varint(1).raw("a").varint(1 << 30)),
        node("17 values of 64 KiB", TooLarge.class, "1048576", largeValues()));
  }

  private static ByteWriter largeValues() {
    ByteWriter out = meta(2).varint(17);
    for (int i = 0; i < 17; i++) {
      out.raw("a%02d".formatted(i)).raw("x".repeat(65_536));
    }
    return out;
  }

  private static Stream<RefusedBytesCase> directories() {
    ChunkMap chunks = new ChunkMap();
    Hash small = chunks.put(link(leaf(1), "a").toBytes());
    Hash later = chunks.put(link(leaf(1), "b").toBytes());
    Hash empty = chunks.put(leaf(0).toBytes());
    Hash inner = chunks.put(branch(2).hash(small).hash(later).toBytes());
    return Stream.of(
        directory("branch of branches", Corrupt.class, "is a branch", chunks, inner, inner),
        directory(
            "a leaf that ends too soon", NotCanonical.class, "too soon", chunks, small, later),
        directory("an empty leaf", NotCanonical.class, "empty", chunks, empty, small),
        directory("no such leaf", SnapshotException.MissingChunk.class, "", chunks, HASH, small),
        directory(
            "names in two leaves",
            NotCanonical.class,
            "before",
            chunks,
            full(chunks),
            full(chunks)),
        directory("leaves in disorder", NotCanonical.class, "before", chunks, full(chunks), small));
  }

  /** Writes a leaf that another leaf may follow. */
  private static Hash full(ChunkMap chunks) {
    String last = "n";
    for (int i = 0; (LeafSplitPolicy.fnv1a(last) & 0x3ff) != 0; i++) {
      last = "n" + i;
    }
    ByteWriter out = leaf(256);
    for (int i = 0; i < 255; i++) {
      link(out, "m%03d".formatted(i));
    }
    return chunks.put(link(out, last).toBytes());
  }

  private static Stream<RefusedBytesCase> roots() {
    byte[] two = link(directoryEntry(leaf(2), ""), "a").toBytes();
    byte[] named = directoryEntry(leaf(1), "a").toBytes();
    byte[] link = leaf(1).raw("").u8('l').u8(0).u8(0).raw("x").toBytes();
    return Stream.of(
        root("a root with a name", Corrupt.class, named),
        root("a root of two entries", UnsafeName.class, two),
        root("a root without entry", Corrupt.class, leaf(0).toBytes()),
        root("a root that is a branch", Corrupt.class, branch(2).hash(HASH).hash(HASH).toBytes()),
        new RefusedBytesCase(
            "a root that is a link",
            UnsafeName.class,
            "not 0",
            () -> NodeCodec.decodeRoot(link, 0, link.length)),
        node("a root inside a tree", UnsafeName.class, "not 0", directoryEntry(leaf(1), "")));
  }

  private static RefusedBytesCase root(
      String what, Class<? extends SnapshotException> error, byte[] bytes) {
    return new RefusedBytesCase(
        what, error, "", () -> NodeCodec.decodeRoot(bytes, 0, bytes.length));
  }

  private static RefusedBytesCase directory(
      String what,
      Class<? extends SnapshotException> error,
      String message,
      ChunkMap chunks,
      Hash first,
      Hash second) {
    Hash node = chunks.put(branch(2).hash(first).hash(second).toBytes());
    return new RefusedBytesCase(
        what, error, message, () -> new NodeReader(chunks).read(node, entry -> {}));
  }

  private static RefusedBytesCase node(
      String what, Class<? extends SnapshotException> error, String message, ByteWriter out) {
    byte[] bytes = out.toBytes();
    return new RefusedBytesCase(what, error, message, () -> NodeCodec.decode(bytes));
  }

  private static RefusedBytesCase list(
      String what, Class<? extends SnapshotException> error, String message, ByteWriter out) {
    ChunkMap chunks = new ChunkMap();
    FileContent content = new FileContent.Listed(chunks.put(out.toBytes()));
    NodeEntry.File file = new NodeEntry.File("f", FileMetadata.of(0, 0, 0), 3, content);
    return new RefusedBytesCase(what, error, message, () -> ExtentListCodec.of(file, chunks));
  }

  private static ByteWriter start(char kind) {
    return new ByteWriter(64).ascii("BN\u0001").u8(kind);
  }

  private static ByteWriter leaf(long count) {
    return start('L').varint(count);
  }

  private static ByteWriter branch(long count) {
    return start('B').varint(count);
  }

  private static ByteWriter link(ByteWriter out, String name) {
    return out.raw(name).u8('l').u8(0).u8(0).raw("x");
  }

  private static ByteWriter entry(char kind) {
    return leaf(1).raw("a").u8(kind);
  }

  private static ByteWriter meta(int flags) {
    return entry('d').u8(0).u8(0).u8(0).varint(flags);
  }

  private static ByteWriter directoryEntry(ByteWriter out, String name) {
    return out.raw(name).u8('d').u8(0).u8(0).u8(0).u8(0).hash(HASH);
  }

  private static ByteWriter file(long size) {
    return entry('f').u8(0).u8(0).u8(0).u8(0).varint(size);
  }

  private static ByteWriter one(long size) {
    return file(size).u8(0).varint(1);
  }

  private static ByteWriter chunk(ByteWriter out, int length) {
    return out.u8(0).hash(HASH).varint(length);
  }

  private static ByteWriter header() {
    return new ByteWriter(64).ascii("BL\u0001");
  }

  private static ByteWriter shortList() {
    return header().varint(1).u8(1).varint(3);
  }
}
