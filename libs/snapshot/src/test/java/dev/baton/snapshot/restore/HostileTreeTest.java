/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.snapshot.RestoreLimits;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.DirectoryNode;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Restores trees that were built as an attack. The tests of the decoders cover what decoders
 * reject.
 */
class HostileTreeTest {
  private static final FileMetadata META = FileMetadata.of(0755, 1_000_000_000, 0);

  private final ScratchDirectory scratch;
  private final InMemoryPackSource packs = new InMemoryPackSource();

  HostileTreeTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @BeforeEach
  void makeTarget() throws Exception {
    scratch.run("mkdir target outside && echo kept > target/kept && echo kept > outside/kept");
  }

  @AfterEach
  void shouldLeaveTargetAndSurroundingsAlone() throws Exception {
    assertThat(scratch.run("find . -type f | sort; cat target/kept outside/kept"))
        .isEqualTo("./outside/kept\n./target/kept\nkept\nkept\n");
    assertThat(scratch.names()).containsExactly("outside", "target");
    scratch.close();
  }

  @Test
  void shouldNotWriteThroughASymbolicLink() throws Exception {
    // A leaf cannot have a name twice, nor one name for two kinds: so the names are in two leaves.
    Hash inner = directory(file("evil", "evil"));
    Hash links = directory(new NodeEntry.Symlink("s", 0, 0, "../outside"));
    Hash same = directory(new NodeEntry.Directory("s", META, inner));
    Hash branch = chunk(NodeCodec.encode(new DirectoryNode.Branch(List.of(links, same))));

    refuses(SnapshotException.class, branch);
  }

  @Test
  void shouldRefuseAHardLinkThroughASymbolicLink() throws Exception {
    Hash root =
        directory(
            new NodeEntry.HardLink("h", "s/kept"), new NodeEntry.Symlink("s", 0, 0, "../outside"));

    refuses(SnapshotException.LinkEscapes.class, root, "'h'", "'s/kept'");
  }

  @Test
  void shouldRefuseAHardLinkToNothing() throws Exception {
    refuses(
        SnapshotException.LinkEscapes.class,
        directory(new NodeEntry.HardLink("h", "outside/kept")));
  }

  @Test
  void shouldRefuseAHardLinkToADirectoryOrALink() throws Exception {
    Hash empty = directory();
    refuses(
        SnapshotException.LinkEscapes.class,
        directory(new NodeEntry.Directory("d", META, empty), new NodeEntry.HardLink("h", "d")));
    refuses(
        SnapshotException.LinkEscapes.class,
        directory(
            new NodeEntry.HardLink("h", "s"), new NodeEntry.Symlink("s", 0, 0, "/etc/passwd")));
  }

  @Test
  void shouldRefuseAHardLinkBeforeItsFileOrToAnotherLink() throws Exception {
    refuses(
        SnapshotException.DigestMismatch.class,
        directory(new NodeEntry.HardLink("a", "b"), file("b", "x")),
        "'a'");
    refuses(
        SnapshotException.DigestMismatch.class,
        directory(
            file("a", "x"), new NodeEntry.HardLink("b", "a"), new NodeEntry.HardLink("c", "b")),
        "'c'");
  }

  @Test
  void shouldRefuseAMissingChunk() throws Exception {
    Hash nowhere = Hash.of("nowhere".getBytes(StandardCharsets.UTF_8));

    refuses(
        SnapshotException.MissingChunk.class,
        directory(file("f", 7, new Extent.Data(nowhere, 7))),
        nowhere.toString());
    refuses(
        SnapshotException.MissingChunk.class,
        directory(new NodeEntry.Directory("d", META, nowhere)),
        nowhere.toString());
  }

  @Test
  void shouldRefuseAChunkOfAnotherLength() throws Exception {
    Hash chunk = chunk("seven..".getBytes(StandardCharsets.UTF_8));

    refuses(
        SnapshotException.Corrupt.class,
        directory(file("f", 6, new Extent.Data(chunk, 6))),
        "7 bytes, its extent has 6");
  }

  @Test
  void shouldRefuseAFileAsADirectory() throws Exception {
    Hash chunk = chunk("no node".getBytes(StandardCharsets.UTF_8));

    refuses(
        SnapshotException.Corrupt.class,
        directory(new NodeEntry.Directory("d", META, chunk)),
        "node");
  }

  @Test
  void shouldRefuseATreeThatUnfoldsToMoreThanAllowed() throws Exception {
    // 2^40 directories in forty nodes.
    Hash node = directory();
    for (int i = 0; i < 40; i++) {
      node =
          directory(
              new NodeEntry.Directory("a", META, node), new NodeEntry.Directory("b", META, node));
    }

    refuses(
        new RestoreLimits(1000, 500), SnapshotException.TooManyEntries.class, node, "500 entries");
  }

  @Test
  void shouldRefuseTooManyBytesBeforeWritingThem() throws Exception {
    byte[] bytes = new byte[1 << 20];
    Extent.Data data = new Extent.Data(chunk(bytes), bytes.length);
    NodeEntry[] files = new NodeEntry[20];
    for (int i = 0; i < files.length; i++) {
      files[i] = file("f" + (char) ('a' + i), bytes.length, data);
    }

    refuses(
        new RestoreLimits(10 << 20, 100),
        SnapshotException.TooLarge.class,
        directory(files),
        "'fk'");
    refuses(
        new RestoreLimits(1 << 30, 100),
        SnapshotException.TooLarge.class,
        directory(file("huge", 100L << 30, new Extent.Hole(100L << 30))),
        "'huge'");
  }

  @Test
  void shouldRefuseWhatIsNestedTooDeep() throws Exception {
    Hash node = directory();
    for (int i = 0; i <= NodeEntry.MAX_DEPTH; i++) {
      node = directory(new NodeEntry.Directory("d", META, node));
    }

    refuses(SnapshotException.TooDeep.class, node, "2048");
  }

  @Test
  void shouldRefuseASnapshotThatSaysItIsTooLarge() throws Exception {
    Snapshot small = snapshot(directory());
    Snapshot large = new Snapshot(small.root(), small.packs(), 101, 0);
    Snapshot many = new Snapshot(small.root(), small.packs(), 0, 11);

    assertThatThrownBy(() -> restore(large, new RestoreLimits(100, 10)))
        .isInstanceOf(SnapshotException.TooLarge.class);
    assertThatThrownBy(() -> restore(many, new RestoreLimits(100, 10)))
        .isInstanceOf(SnapshotException.TooManyEntries.class);
    assertThat(packs.requests).hasValue(0);
  }

  private NodeEntry file(String name, String content) throws IOException, InterruptedException {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    return file(name, bytes.length, new Extent.Data(chunk(bytes), bytes.length));
  }

  private static NodeEntry file(String name, long size, Extent extent) {
    return new NodeEntry.File(name, META, size, new FileContent.Inline(List.of(extent)));
  }

  private Hash chunk(byte[] bytes) throws IOException, InterruptedException {
    Chunk chunk = Chunk.of(Chunk.Kind.NODE, bytes, 0, bytes.length);
    packs.accept(chunk);
    return chunk.hash();
  }

  /** Names must be ascending. */
  private Hash directory(NodeEntry... entries) throws IOException, InterruptedException {
    NodeWriter writer = new NodeWriter(packs);
    for (NodeEntry entry : entries) {
      writer.add(entry);
    }
    return writer.finish();
  }

  private Snapshot snapshot(Hash directory) throws IOException, InterruptedException {
    return packs.snapshot(chunk(NodeCodec.encodeRoot(META, directory)), 0, 0);
  }

  private void refuses(Class<? extends SnapshotException> error, Hash directory, String... says)
      throws IOException, InterruptedException {
    refuses(RestoreLimits.defaults(), error, directory, says);
  }

  private void refuses(
      RestoreLimits limits,
      Class<? extends SnapshotException> error,
      Hash directory,
      String... says)
      throws IOException, InterruptedException {
    Snapshot snapshot = snapshot(directory);
    var refused = assertThatThrownBy(() -> restore(snapshot, limits)).isInstanceOf(error);
    for (String part : says) {
      refused.hasMessageContaining(part);
    }
  }

  private void restore(Snapshot snapshot, RestoreLimits limits)
      throws IOException, InterruptedException {
    TreeRestorer.restore(
        snapshot, packs, scratch.resolve("target"), RestoreOptions.defaults().withLimits(limits));
  }
}
