/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
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
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A stored checkpoint of a few files, built by hand. */
record SmallTree(
    String id, Hash root, Map<Hash, byte[]> packs, List<PackRef> refs, long bytes, long files) {
  private static final FileMetadata FILE = FileMetadata.of(0644, 1_700_000_000L, 123_456_789);
  private static final FileMetadata FOLDER = FileMetadata.of(0755, 1_700_000_001L, 0);

  /**
   * @param files content by path; at most one folder deep
   */
  static SmallTree of(String id, Map<String, String> files)
      throws IOException, InterruptedException {
    Map<Hash, byte[]> packs = new HashMap<>();
    List<PackRef> refs = new ArrayList<>();
    long bytes = 0;
    Hash root;
    try (ChunkPacker packer = new ChunkPacker(pack -> keep(pack, packs, refs))) {
      SortedMap<String, SortedMap<String, String>> folders = new TreeMap<>();
      folders.put("", new TreeMap<>());
      for (Map.Entry<String, String> file : files.entrySet()) {
        int slash = file.getKey().indexOf('/');
        folders
            .computeIfAbsent(file.getKey().substring(0, Math.max(0, slash)), f -> new TreeMap<>())
            .put(file.getKey().substring(slash + 1), file.getValue());
        bytes += file.getValue().getBytes(StandardCharsets.UTF_8).length;
      }
      SortedMap<String, NodeEntry> entries = entries(folders.remove(""), packer);
      for (Map.Entry<String, SortedMap<String, String>> folder : folders.entrySet()) {
        Hash node = write(entries(folder.getValue(), packer), packer);
        entries.put(folder.getKey(), new NodeEntry.Directory(folder.getKey(), FOLDER, node));
      }
      byte[] top = NodeCodec.encodeRoot(FOLDER, write(entries, packer));
      Chunk chunk = Chunk.of(Chunk.Kind.NODE, top, 0, top.length);
      packer.accept(chunk);
      packer.flush();
      root = chunk.hash();
    }
    return new SmallTree(id, root, Map.copyOf(packs), List.copyOf(refs), bytes, files.size());
  }

  private static void keep(Pack pack, Map<Hash, byte[]> packs, List<PackRef> refs) {
    packs.put(pack.ref().id(), Arrays.copyOf(pack.bytes(), pack.length()));
    refs.add(pack.ref());
  }

  private static SortedMap<String, NodeEntry> entries(
      SortedMap<String, String> files, ChunkPacker packer)
      throws IOException, InterruptedException {
    SortedMap<String, NodeEntry> entries = new TreeMap<>();
    for (Map.Entry<String, String> file : files.entrySet()) {
      byte[] bytes = file.getValue().getBytes(StandardCharsets.UTF_8);
      List<Extent> extents = new ArrayList<>();
      if (bytes.length > 0) {
        Chunk chunk = Chunk.of(Chunk.Kind.DATA, bytes, 0, bytes.length);
        packer.accept(chunk);
        extents.add(new Extent.Data(chunk.hash(), bytes.length));
      }
      entries.put(
          file.getKey(),
          new NodeEntry.File(file.getKey(), FILE, bytes.length, new FileContent.Inline(extents)));
    }
    return entries;
  }

  private static Hash write(SortedMap<String, NodeEntry> entries, ChunkPacker packer)
      throws IOException, InterruptedException {
    NodeWriter writer = new NodeWriter(packer);
    for (NodeEntry entry : entries.values()) {
      writer.add(entry);
    }
    return writer.finish();
  }

  /** The response of {@code GET /checkpoints/ID/packs}. */
  String opened(String packBase) {
    StringBuilder list = new StringBuilder();
    for (PackRef ref : refs) {
      list.append(list.isEmpty() ? "" : ",")
          .append(
              "{\"digest\":\"%s\",\"size_bytes\":%d,\"index_bytes\":%d,\"get_url\":\"%s/%s\"}"
                  .formatted(ref.id(), ref.size(), ref.indexBytes(), packBase, ref.id().hex()));
    }
    return "{\"id\":\"%s\",\"manifest\":%s,\"packs\":[%s]}"
        .formatted(id, new String(ManifestCodec.write(manifest()), StandardCharsets.UTF_8), list);
  }

  Manifest manifest() {
    return new Manifest(
        Manifest.VERSION,
        id,
        "01jd0000000000000000abcdef",
        Instant.parse("2026-01-01T00:00:00Z"),
        CheckpointTrigger.MANUAL,
        new Manifest.Run("default", "hello", null, 1, "build", 1),
        Manifest.Conversation.NONE,
        new Manifest.Workspace(
            Manifest.Workspace.PATH,
            bytes,
            files,
            List.of(),
            root.toString(),
            Manifest.Workspace.TREE,
            bytes,
            refs.stream()
                .map(ref -> new Manifest.Pack(ref.id().toString(), ref.size(), ref.indexBytes()))
                .toList(),
            List.of(),
            0),
        new Manifest.Git("main", "0123abcd", false, true),
        Manifest.Metrics.NONE,
        Map.of("LANG", "C.UTF-8"),
        Json.tree("{\"plan\":[1]}".getBytes(StandardCharsets.UTF_8)),
        Map.of("workspace", Manifest.Contribution.OK, "git", Manifest.Contribution.OK),
        null,
        null);
  }
}
