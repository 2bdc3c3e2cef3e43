/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.GetLimitsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.transfer.PresignedObjectClient;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;

/**
 * Calls the checkpoint-store, and transfers objects to and from the URLs that it returns. Blocking;
 * thread-safe.
 */
public final class RunnerStoreClient {
  private static final Duration SNAPSHOT_WAIT = Duration.ofSeconds(10);
  private static final Duration CALL = Duration.ofSeconds(5);

  /** Time to fold and send a state of hundreds of thousands of steps. */
  private static final Duration LARGE = Duration.ofSeconds(60);

  private static final int UNPACKED = 64 * 1024;

  /** Time to write tens of thousands of rows after a first capture. */
  private static final Duration COMMIT = Duration.ofSeconds(20);

  private final SnapshotServiceGrpc.SnapshotServiceBlockingStub snapshots;
  private final CheckpointServiceGrpc.CheckpointServiceBlockingStub checkpoints;
  private final PresignedObjectClient objects;

  /** Creates a client that trusts object stores whose authority the JDK has. */
  public RunnerStoreClient(Channel channel) {
    this(channel, TlsSettings.NONE);
  }

  /**
   * @param tls of connections to the object store
   */
  public RunnerStoreClient(Channel channel, TlsSettings tls) {
    this.objects = PresignedObjectClient.create(tls::contextOfOthers);
    this.snapshots = SnapshotServiceGrpc.newBlockingStub(channel);
    this.checkpoints = CheckpointServiceGrpc.newBlockingStub(channel);
  }

  /** Returns what transfers objects to and from the URLs. */
  PresignedObjectClient objects() {
    return objects;
  }

  /**
   * Returns the run's state as of {@code runner_assigned(epoch)}.
   *
   * @param patience how long the call is retried while the store is unavailable or behind that
   *     event
   * @throws StoreException when the store refuses, or the time is over
   */
  public RunState snapshot(String run, int epoch, String lease, Duration patience)
      throws StoreException, InterruptedException {
    GetSnapshotRequest request =
        GetSnapshotRequest.newBuilder()
            .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setLease(lease))
            .setWaitMillis(SNAPSHOT_WAIT.toMillis())
            .setAcceptPacked(true)
            .build();
    return StoreCallRetrier.until(
        patience,
        () -> state(call(() -> timed(snapshots, SNAPSHOT_WAIT.plus(LARGE)).getSnapshot(request))));
  }

  /**
   * Returns the latest state before {@code runner_assigned(epoch)} that can be restored without
   * these checkpoints.
   *
   * @param damaged ids, 1 to {@link TraceEvent.RunDegraded#MAX_DAMAGED}
   * @param patience as in {@link #snapshot}
   * @return empty if there is none
   * @throws StoreException when the store refuses, or the time is over
   */
  public Optional<RestorableState> snapshotWithout(
      String run, int epoch, String lease, Set<String> damaged, Duration patience)
      throws StoreException, InterruptedException {
    GetSnapshotRequest request =
        GetSnapshotRequest.newBuilder()
            .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch).setLease(lease))
            .setWaitMillis(SNAPSHOT_WAIT.toMillis())
            .setAcceptPacked(true)
            .addAllDamaged(damaged)
            .build();
    try {
      return Optional.of(
          StoreCallRetrier.until(
              patience,
              () -> {
                Snapshot snapshot =
                    call(() -> timed(snapshots, SNAPSHOT_WAIT.plus(LARGE)).getSnapshot(request));
                String after = snapshot.getAfter();
                return new RestorableState(state(snapshot), after.isEmpty() ? null : after);
              }));
    } catch (StoreException e) {
      if (e.isCheckpointGone()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Parses the state while decompressing it: the text of a large state is never in memory. */
  private static RunState state(Snapshot snapshot) throws StoreException {
    try (InputStream in =
        snapshot.getPackedState().isEmpty()
            ? snapshot.getState().newInput()
            : new GZIPInputStream(snapshot.getPackedState().newInput(), UNPACKED)) {
      return Json.mapper().readValue(in, RunState.class);
    } catch (IOException e) {
      throw new StoreException("the snapshot cannot be read: " + e.getMessage(), true);
    }
  }

  /**
   * Returns the largest state of which the store creates a snapshot.
   *
   * @return empty if the store does not support the call
   * @throws StoreException when it does not answer now
   */
  public OptionalLong maxStateBytes() throws StoreException, InterruptedException {
    try {
      return OptionalLong.of(
          timed(snapshots, CALL)
              .getLimits(GetLimitsRequest.getDefaultInstance())
              .getMaxStateBytes());
    } catch (StatusRuntimeException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("call to the store").initCause(e);
      }
      if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
        return OptionalLong.empty();
      }
      throw StoreException.of(e);
    }
  }

  /**
   * Stores bytes under their digest, unless they are already stored.
   *
   * @param bytes the object is in their first {@code length} bytes
   */
  void upload(StoreCaller holder, ObjectKind kind, String digest, byte[] bytes, int length)
      throws StoreException, IOException, InterruptedException {
    Upload where = prepareUpload(holder, kind, digest, length);
    if (!where.getPresent()) {
      objects.put(where.getPutUrl(), where.getHeadersMap(), bytes, length);
    }
  }

  /** Returns the places of these chunks that the store has: see {@code FindChunks}. */
  FindChunksResponse find(StoreCaller holder, byte[] digests)
      throws StoreException, InterruptedException {
    FindChunksRequest request =
        FindChunksRequest.newBuilder()
            .setCaller(holder.message())
            .setDigests(UnsafeByteOperations.unsafeWrap(digests))
            .build();
    return call(() -> timed(checkpoints, CALL).findChunks(request));
  }

  /** Registers packs that are uploaded. */
  void register(StoreCaller holder, List<NewPack> packs)
      throws StoreException, InterruptedException {
    RegisterPacksRequest request =
        RegisterPacksRequest.newBuilder().setCaller(holder.message()).addAllPacks(packs).build();
    call(() -> timed(checkpoints, COMMIT).registerPacks(request));
  }

  /**
   * Creates a checkpoint from packs that are uploaded.
   *
   * @param packs those of them that are not registered yet
   */
  void commit(StoreCaller holder, byte[] manifest, List<NewPack> packs)
      throws StoreException, InterruptedException {
    CommitCheckpointRequest request =
        CommitCheckpointRequest.newBuilder()
            .setCaller(holder.message())
            .setManifest(UnsafeByteOperations.unsafeWrap(manifest))
            .addAllPacks(packs)
            .build();
    call(() -> timed(checkpoints, COMMIT).commitCheckpoint(request));
  }

  /**
   * Stores a chunk of a run's log and waits for the acknowledgement. Idempotent.
   *
   * @param object the chunk is in its first {@code length} bytes
   * @param json the index, as it is at the object's end
   */
  public void uploadLog(StoreCaller holder, LogIndex index, byte[] object, int length, byte[] json)
      throws StoreException, IOException, InterruptedException {
    MessageDigest hash = Digest.sha256();
    hash.update(object, 0, length);
    String digest = Digest.ofHash(hash.digest());
    PrepareLogChunkRequest where =
        PrepareLogChunkRequest.newBuilder()
            .setCaller(holder.message())
            .setLogEpoch(index.epoch())
            .setFirstLine(index.firstLine())
            .setDigest(digest)
            .setSizeBytes(length)
            .build();
    PrepareLogChunkResponse place = call(() -> timed(snapshots, CALL).prepareLogChunk(where));
    objects.put(place.getPutUrl(), place.getHeadersMap(), object, length);
    CommitLogChunkRequest chunk =
        CommitLogChunkRequest.newBuilder()
            .setCaller(holder.message())
            .setDigest(digest)
            .setSizeBytes(length)
            .setIndex(UnsafeByteOperations.unsafeWrap(json))
            .build();
    call(() -> timed(snapshots, COMMIT).commitLogChunk(chunk));
  }

  /** Returns a checkpoint's manifest and the URLs of its packs, which are valid for minutes. */
  OpenCheckpointResponse open(StoreCaller holder, String checkpoint)
      throws StoreException, InterruptedException {
    OpenCheckpointRequest request =
        OpenCheckpointRequest.newBuilder()
            .setCaller(holder.message())
            .setCheckpoint(checkpoint)
            .build();
    return call(() -> timed(checkpoints, CALL).openCheckpoint(request));
  }

  /**
   * Returns URLs to download objects, in the order of the digests. They are valid for minutes.
   *
   * @param digests at most 1,000
   */
  List<String> locate(StoreCaller holder, ObjectKind kind, List<String> digests)
      throws StoreException, InterruptedException {
    PrepareDownloadRequest.Builder request =
        PrepareDownloadRequest.newBuilder().setCaller(holder.message());
    for (String digest : digests) {
      request.addObjects(ObjectRef.newBuilder().setDigest(digest).setKind(kind));
    }
    List<Download> found =
        call(() -> timed(checkpoints, CALL).prepareDownload(request.build()).getDownloadsList());
    if (found.size() != digests.size()) {
      throw new StoreException(
          "the store returned %d URLs for %d objects".formatted(found.size(), digests.size()),
          true);
    }
    return found.stream().map(Download::getGetUrl).toList();
  }

  private Upload prepareUpload(StoreCaller holder, ObjectKind kind, String digest, long size)
      throws StoreException, InterruptedException {
    PrepareUploadRequest request =
        PrepareUploadRequest.newBuilder()
            .setCaller(holder.message())
            .addObjects(ObjectRef.newBuilder().setDigest(digest).setSizeBytes(size).setKind(kind))
            .build();
    List<Upload> places =
        call(() -> timed(checkpoints, CALL).prepareUpload(request).getUploadsList());
    if (places.size() != 1) {
      throw new StoreException("the store returned " + places.size() + " URLs for " + digest, true);
    }
    return places.getFirst();
  }

  private static <S extends AbstractStub<S>> S timed(S stub, Duration limit) {
    return stub.withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS).withWaitForReady();
  }

  private static <T> T call(Supplier<T> remote) throws StoreException, InterruptedException {
    try {
      return remote.get();
    } catch (StatusRuntimeException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException("call to the store").initCause(e);
      }
      throw StoreException.of(e);
    }
  }
}
