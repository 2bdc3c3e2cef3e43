/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.format.Hash;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Stores a checkpoint in the same steps as a runner. */
public final class CheckpointUploader {
  private final StoreTestClient client;
  private final String run;
  private final String project;
  private final int epoch;

  public CheckpointUploader(StoreTestClient client, String run, String project, int epoch) {
    this.client = client;
    this.run = run;
    this.project = project;
    this.epoch = epoch;
  }

  public FindChunksResponse find(Collection<Hash> chunks) {
    ByteString.Output digests = ByteString.newOutput();
    chunks.forEach(chunk -> digests.write(chunk.toBytes(), 0, Hash.BYTES));
    return client
        .checkpoints()
        .findChunks(
            FindChunksRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setProject(project))
                .setDigests(digests.toByteString())
                .build());
  }

  public Upload prepare(Pack pack) {
    return client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setProject(project))
                .addObjects(
                    ObjectRef.newBuilder()
                        .setDigest(pack.ref().id().toString())
                        .setSizeBytes(pack.ref().size())
                        .setKind(ObjectKind.OBJECT_KIND_PACK))
                .build())
        .getUploads(0);
  }

  public void put(Pack pack) {
    Upload upload = prepare(pack);
    if (!upload.getPresent()) {
      int status = client.put(upload, Arrays.copyOf(pack.bytes(), pack.length())).statusCode();
      if (status != 200) {
        throw new AssertionError("PUT answered " + status);
      }
    }
  }

  public void register(List<Pack> packs) {
    registerAll(packs.stream().map(PackedTestTree::registrationOf).toList());
  }

  /** Registers a pack with one more chunk than it has. */
  public void register(Pack pack, Hash more) {
    NewPack correct = PackedTestTree.registrationOf(pack);
    ByteString chunks = correct.getChunks().concat(ByteString.copyFrom(more.toBytes()));
    registerAll(List.of(correct.toBuilder().setChunks(chunks).build()));
  }

  private void registerAll(List<NewPack> packs) {
    client
        .checkpoints()
        .registerPacks(
            RegisterPacksRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setProject(project))
                .addAllPacks(packs)
                .build());
  }

  public void commit(Manifest manifest, List<Pack> fresh) {
    commit(ManifestCodec.write(manifest), fresh);
  }

  public void commit(byte[] manifest, List<Pack> fresh) {
    client
        .checkpoints()
        .commitCheckpoint(
            CommitCheckpointRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setProject(project))
                .setManifest(ByteString.copyFrom(manifest))
                .addAllPacks(fresh.stream().map(PackedTestTree::registrationOf).toList())
                .build());
  }

  public OpenCheckpointResponse open(String checkpoint) {
    return client
        .checkpoints()
        .openCheckpoint(
            OpenCheckpointRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setProject(project))
                .setCheckpoint(checkpoint)
                .build());
  }

  /** Performs all steps and returns the checkpoint's id. */
  public String checkpoint(PackedTestTree tree, CheckpointTrigger trigger, Instant at) {
    tree.packs().forEach(this::put);
    Manifest manifest = tree.manifest(run, project, "flow", epoch, trigger, at);
    commit(manifest, tree.packs());
    return manifest.id();
  }
}
