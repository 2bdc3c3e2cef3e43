/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.CommitLogChunkResponse;
import dev.baton.protocol.grpc.Download;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.FoundPack;
import dev.baton.protocol.grpc.GetLimitsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.Limits;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PrepareDownloadRequest;
import dev.baton.protocol.grpc.PrepareDownloadResponse;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.runner.capture.RestorableState;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.restore.RestoreOptions;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.minio.GetObjectArgs;
import io.minio.GetPresignedObjectUrlArgs;
import io.minio.MinioClient;
import io.minio.PutObjectArgs;
import io.minio.RemoveObjectArgs;
import io.minio.StatObjectArgs;
import io.minio.errors.ErrorResponseException;
import io.minio.errors.MinioException;
import io.minio.http.Method;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Implements the checkpoint-store's contract with runners: snapshots folded from the trace,
 * presigned URLs of the real S3 server.
 */
public final class ScriptedStore extends MemoryCheckpointStore {
  private final TraceView trace;
  private final MinioClient s3;
  private final String bucket;

  /** The acknowledged logs. */
  public final StoredLogs logs;

  /** While set, uploads are refused as if the object store were unavailable. */
  public volatile boolean away;

  /** While set, answers about chunks name a pack without a digest, which no client expects. */
  public volatile boolean confused;

  /** The limit above which no snapshot is created. */
  public volatile long maxStateBytes = 128 << 20;

  public final AtomicInteger uploads = new AtomicInteger();
  public final AtomicInteger commits = new AtomicInteger();

  /** While set, packs are uploaded to and downloaded from this URL. */
  public volatile @Nullable String elsewhere;

  ScriptedStore(TraceView trace, MinioClient s3, String bucket) {
    this.bucket = bucket;
    this.trace = trace;
    this.s3 = s3;
    this.logs = new StoredLogs(s3, bucket);
  }

  @Override
  public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> answer) {
    try {
      if (request.getDamagedCount() > 0) {
        answerWithout(request, answer);
        return;
      }
      byte[] state =
          Json.bytes(trace.state(request.getCaller().getRun(), request.getCaller().getEpoch()));
      if (state.length > maxStateBytes) {
        answer.onError(
            Status.RESOURCE_EXHAUSTED
                .withDescription("state_too_large: %d bytes".formatted(state.length))
                .asException());
        return;
      }
      answer.onNext(Snapshot.newBuilder().setState(ByteString.copyFrom(state)).build());
      answer.onCompleted();
    } catch (InterruptedException e) {
      answer.onError(Status.CANCELLED.asException());
    }
  }

  private void answerWithout(GetSnapshotRequest request, StreamObserver<Snapshot> answer)
      throws InterruptedException {
    Optional<RestorableState> found =
        trace.stateWithout(
            request.getCaller().getRun(),
            request.getCaller().getEpoch(),
            request.getDamagedList()::contains);
    if (found.isEmpty()) {
      answer.onError(
          Status.FAILED_PRECONDITION
              .withDescription("checkpoint_gone: none is left")
              .asException());
      return;
    }
    Snapshot.Builder snapshot =
        Snapshot.newBuilder().setState(ByteString.copyFrom(Json.bytes(found.get().state())));
    String after = found.get().after();
    answer.onNext((after == null ? snapshot : snapshot.setAfter(after)).build());
    answer.onCompleted();
  }

  @Override
  public void getLimits(GetLimitsRequest request, StreamObserver<Limits> answer) {
    answer.onNext(Limits.newBuilder().setMaxStateBytes(maxStateBytes).build());
    answer.onCompleted();
  }

  @Override
  public void prepareUpload(
      PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> answer) {
    if (away) {
      answer.onError(Status.UNAVAILABLE.withDescription("the object store is away").asException());
      return;
    }
    PrepareUploadResponse.Builder response = PrepareUploadResponse.newBuilder();
    try {
      for (ObjectRef object : request.getObjectsList()) {
        String key = key(request.getCaller().getProject(), object);
        Upload.Builder upload = Upload.newBuilder().setDigest(object.getDigest());
        if (exists(key)) {
          upload.setPresent(true);
        } else {
          uploads.incrementAndGet();
          String other = elsewhere;
          upload.setPutUrl(other == null ? presigned(Method.PUT, key) : other);
        }
        response.addUploads(upload);
      }
      answer.onNext(response.build());
      answer.onCompleted();
    } catch (Exception e) {
      answer.onError(Status.UNAVAILABLE.withCause(e).asException());
    }
  }

  @Override
  public void findChunks(FindChunksRequest request, StreamObserver<FindChunksResponse> answer) {
    if (confused) {
      answer.onNext(
          FindChunksResponse.newBuilder().addPacks(FoundPack.getDefaultInstance()).build());
      answer.onCompleted();
    } else {
      super.findChunks(request, answer);
    }
  }

  @Override
  public void commitCheckpoint(
      CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> answer) {
    if (away) {
      answer.onError(Status.UNAVAILABLE.withDescription("the store is away").asException());
      return;
    }
    Manifest manifest = ManifestCodec.read(request.getManifest().toByteArray());
    for (Manifest.Pack pack : manifest.workspace().packs()) {
      try {
        if (!exists(key(request.getCaller().getProject(), pack.digest()))) {
          answer.onError(
              Status.FAILED_PRECONDITION
                  .withDescription("packs_gone: " + pack.digest())
                  .asException());
          return;
        }
      } catch (Exception e) {
        answer.onError(Status.UNAVAILABLE.withCause(e).asException());
        return;
      }
    }
    commits.incrementAndGet();
    super.commitCheckpoint(request, answer);
  }

  @Override
  protected String packUrl(String project, String digest) throws IOException {
    String other = elsewhere;
    return other == null ? presigned(Method.GET, key(project, digest)) : other;
  }

  /** Restores a checkpoint's files to this folder. */
  public Path restore(String checkpoint, Path target) throws Exception {
    Manifest.Workspace files = manifest(checkpoint).workspace();
    PackSource source =
        (pack, offset, into, length) -> {
          try (InputStream in =
              s3.getObject(
                  GetObjectArgs.builder()
                      .bucket(bucket)
                      .object(key("default", pack.id().toString()))
                      .offset(offset)
                      .length((long) length)
                      .build())) {
            if (in.readNBytes(into, 0, length) < length) {
              throw new IOException("pack " + pack.id() + " is too short");
            }
          } catch (MinioException | GeneralSecurityException e) {
            throw new IOException(e);
          }
        };
    dev.baton.snapshot.Snapshot snapshot =
        new dev.baton.snapshot.Snapshot(
            Hash.parse(files.digest()),
            files.packs().stream()
                .map(p -> new PackRef(Hash.parse(p.digest()), p.sizeBytes(), p.indexBytes()))
                .toList(),
            files.sizeBytes(),
            files.fileCount());
    new TreeSnapshotter(ExcludePolicy.defaults())
        .restore(snapshot, source, target, RestoreOptions.defaults());
    return target;
  }

  /** Deletes the packs of a checkpoint. */
  public void losePacks(String checkpoint) throws Exception {
    for (Manifest.Pack pack : manifest(checkpoint).workspace().packs()) {
      s3.removeObject(
          RemoveObjectArgs.builder().bucket(bucket).object(key("default", pack.digest())).build());
    }
  }

  /**
   * Replaces the content of the packs of a checkpoint that another one does not have.
   *
   * @param change returns the new content
   */
  public void changePacks(String checkpoint, String except, UnaryOperator<byte[]> change)
      throws Exception {
    Set<String> others =
        manifest(except).workspace().packs().stream()
            .map(Manifest.Pack::digest)
            .collect(Collectors.toSet());
    for (Manifest.Pack pack : manifest(checkpoint).workspace().packs()) {
      if (!others.contains(pack.digest())) {
        String key = key("default", pack.digest());
        byte[] bytes;
        try (InputStream in =
            s3.getObject(GetObjectArgs.builder().bucket(bucket).object(key).build())) {
          bytes = change.apply(in.readAllBytes());
        }
        s3.putObject(
            PutObjectArgs.builder().bucket(bucket).object(key).stream(
                    new ByteArrayInputStream(bytes), (long) bytes.length, -1L)
                .build());
      }
    }
  }

  @Override
  public void prepareDownload(
      PrepareDownloadRequest request, StreamObserver<PrepareDownloadResponse> answer) {
    PrepareDownloadResponse.Builder response = PrepareDownloadResponse.newBuilder();
    try {
      for (ObjectRef object : request.getObjectsList()) {
        response.addDownloads(
            Download.newBuilder()
                .setDigest(object.getDigest())
                .setGetUrl(presigned(Method.GET, key(request.getCaller().getProject(), object))));
      }
      answer.onNext(response.build());
      answer.onCompleted();
    } catch (Exception e) {
      answer.onError(Status.UNAVAILABLE.withCause(e).asException());
    }
  }

  @Override
  public void prepareLogChunk(
      PrepareLogChunkRequest request, StreamObserver<PrepareLogChunkResponse> answer) {
    if (away) {
      answer.onError(Status.UNAVAILABLE.withDescription("the object store is away").asException());
      return;
    }
    try {
      answer.onNext(
          PrepareLogChunkResponse.newBuilder()
              .setPutUrl(presigned(Method.PUT, StoredLogs.key(request)))
              .build());
      answer.onCompleted();
    } catch (IOException e) {
      answer.onError(Status.UNAVAILABLE.withCause(e).asException());
    }
  }

  @Override
  public void commitLogChunk(
      CommitLogChunkRequest request, StreamObserver<CommitLogChunkResponse> answer) {
    if (away) {
      answer.onError(Status.UNAVAILABLE.withDescription("the store is away").asException());
      return;
    }
    logs.commit(request);
    answer.onNext(CommitLogChunkResponse.getDefaultInstance());
    answer.onCompleted();
  }

  private static String key(String project, ObjectRef object) {
    String hex = object.getDigest().substring("sha256:".length());
    return object.getKind() == ObjectKind.OBJECT_KIND_BLOB
        ? project + "/blobs/" + hex
        : project + "/packs/" + hex;
  }

  private static String key(String project, String pack) {
    return project + "/packs/" + pack.substring("sha256:".length());
  }

  private boolean exists(String key) throws Exception {
    try {
      s3.statObject(StatObjectArgs.builder().bucket(bucket).object(key).build());
      return true;
    } catch (ErrorResponseException e) {
      return false;
    }
  }

  private String presigned(Method method, String key) throws IOException {
    try {
      return s3.getPresignedObjectUrl(
          GetPresignedObjectUrlArgs.builder()
              .bucket(bucket)
              .object(key)
              .method(method)
              .expiry(600)
              .build());
    } catch (MinioException | GeneralSecurityException e) {
      throw new IOException(e);
    }
  }
}
