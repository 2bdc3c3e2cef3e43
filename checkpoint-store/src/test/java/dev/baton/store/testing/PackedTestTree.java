/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkPacker;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A directory with a few files, packed as a runner does. */
public record PackedTestTree(Hash root, List<Pack> packs, long bytes, long files) {

  /** Packs files by their names. */
  public static PackedTestTree of(Map<String, byte[]> files) {
    SortedMap<String, byte[]> sorted = new TreeMap<>(files);
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      NodeWriter directory = new NodeWriter(packer);
      long bytes = 0;
      for (var file : sorted.entrySet()) {
        byte[] content = file.getValue();
        bytes += content.length;
        Chunk chunk = Chunk.of(Chunk.Kind.DATA, content, 0, content.length);
        packer.accept(chunk);
        directory.add(
            new NodeEntry.File(
                file.getKey(),
                FileMetadata.of(0644, 1_700_000_000, 5),
                content.length,
                new FileContent.Inline(List.of(new Extent.Data(chunk.hash(), content.length)))));
      }
      byte[] root =
          NodeCodec.encodeRoot(FileMetadata.of(0755, 1_700_000_000, 7), directory.finish());
      Chunk chunk = Chunk.of(Chunk.Kind.NODE, root, 0, root.length);
      packer.accept(chunk);
      packer.flush();
      return new PackedTestTree(chunk.hash(), packs, bytes, sorted.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Packs one file with this content. */
  public static PackedTestTree with(String content) {
    return of(Map.of("file", content.getBytes(StandardCharsets.UTF_8)));
  }

  public static NewPack registrationOf(Pack pack) {
    ByteString.Output chunks = ByteString.newOutput();
    pack.chunks().forEach(chunk -> chunks.write(chunk.toBytes(), 0, Hash.BYTES));
    return NewPack.newBuilder()
        .setDigest(ByteString.copyFrom(pack.ref().id().toBytes()))
        .setSizeBytes(pack.ref().size())
        .setIndexBytes(pack.ref().indexBytes())
        .setChunks(chunks.toByteString())
        .build();
  }

  /** Returns the chunks of all packs. */
  public List<Hash> chunks() {
    return packs.stream().flatMap(pack -> pack.chunks().stream()).toList();
  }

  /** Creates the manifest of a checkpoint of this tree. */
  public Manifest manifest(String run, int epoch, CheckpointTrigger trigger, Instant at) {
    return manifest(run, "default", "flow", epoch, trigger, at);
  }

  public Manifest manifest(
      String run,
      String project,
      String workflow,
      int epoch,
      CheckpointTrigger trigger,
      Instant at) {
    return new Manifest(
        Manifest.VERSION,
        RunId.next(),
        run,
        at,
        trigger,
        new Manifest.Run(project, workflow, null, epoch, "build", 1),
        Manifest.Conversation.NONE,
        new Manifest.Workspace(
            Manifest.Workspace.PATH,
            bytes,
            files,
            List.of(),
            root.toString(),
            Manifest.Workspace.TREE,
            packs.stream().mapToLong(pack -> pack.ref().size()).sum(),
            packs.stream()
                .map(
                    pack ->
                        new Manifest.Pack(
                            pack.ref().id().toString(), pack.ref().size(), pack.ref().indexBytes()))
                .toList(),
            List.of(),
            0),
        null,
        Manifest.Metrics.NONE,
        null,
        null,
        null,
        null,
        null);
  }
}
