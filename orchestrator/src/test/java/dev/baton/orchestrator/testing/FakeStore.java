/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.ArchiveServiceGrpc;
import dev.baton.protocol.grpc.ArchivedRun;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.CommitCheckpointRequest;
import dev.baton.protocol.grpc.CommitCheckpointResponse;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.FindChunksRequest;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.Finding;
import dev.baton.protocol.grpc.FoundPack;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.GetCheckpointResponse;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ListArchiveResponse;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCheckpointsResponse;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.ListCutsResponse;
import dev.baton.protocol.grpc.MaintenanceServiceGrpc;
import dev.baton.protocol.grpc.MeasureProjectsRequest;
import dev.baton.protocol.grpc.MeasureProjectsResponse;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.OpenCheckpointRequest;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.PrepareUploadResponse;
import dev.baton.protocol.grpc.ProjectStorage;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.grpc.RegisterPacksRequest;
import dev.baton.protocol.grpc.RegisterPacksResponse;
import dev.baton.protocol.grpc.RequireFilesRequest;
import dev.baton.protocol.grpc.RequireFilesResponse;
import dev.baton.protocol.grpc.RunCounts;
import dev.baton.protocol.grpc.Snapshot;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.protocol.grpc.VerifyEventsRequest;
import dev.baton.protocol.grpc.VerifyEventsResponse;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.state.RunState;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scripted checkpoint-store. Returns three events for every run, which contain the {@code seen}
 * ids of the request, and the checkpoints that a test adds. A followed run stays open for further
 * events. Thread-safe.
 */
public final class FakeStore implements AutoCloseable {
  /** As HTTP/2 servers commonly have it, also that of the checkpoint-store. */
  private static final int STREAMS_PER_CONNECTION = 100;

  private static final ConcurrentMap<String, StoredCheckpoint> CHECKPOINTS =
      new ConcurrentHashMap<>();
  private static final ConcurrentMap<String, StreamObserver<Event>> FOLLOWERS =
      new ConcurrentHashMap<>();
  private static final List<ArchivedRun> ARCHIVED = new CopyOnWriteArrayList<>();
  private static final ConcurrentMap<String, Status> WITHOUT_FILES = new ConcurrentHashMap<>();
  private static final ConcurrentMap<String, FakeLog> LOGS = new ConcurrentHashMap<>();

  /** Bytes of checkpoints by project. */
  private static final ConcurrentMap<String, Long> STORED = new ConcurrentHashMap<>();

  private static final ConcurrentMap<String, HeldDeletion> DELETIONS = new ConcurrentHashMap<>();
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int PAGE = 2;

  private final Server server;

  FakeStore() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addServices(new Service().services())
            .maxConcurrentCallsPerConnection(STREAMS_PER_CONNECTION)
            .build()
            .start();
  }

  /**
   * A deletion that waits.
   *
   * @param requested completes when the store is asked to delete the run
   * @param allowed to be completed by the test, for the deletion to continue
   */
  public record HeldDeletion(CompletableFuture<Void> requested, CompletableFuture<Void> allowed) {}

  /** Deletes the run only once the test allows it. */
  public static HeldDeletion holdDeletion(String run) {
    HeldDeletion held = new HeldDeletion(new CompletableFuture<>(), new CompletableFuture<>());
    DELETIONS.put(run, held);
    return held;
  }

  /** Adds a checkpoint of a run in the project {@code default}. */
  public static StoredCheckpoint put(String id, String run, String verification) {
    return put(id, run, "default", verification);
  }

  /** Adds a checkpoint of a run. */
  public static StoredCheckpoint put(String id, String run, String project, String verification) {
    StoredCheckpoint stored =
        StoredCheckpoint.newBuilder()
            .setId(id)
            .setRun(run)
            .setProject(project)
            .setEpoch(1)
            .setStep("build")
            .setTrigger("step")
            .setCreatedAtMicros(1_700_000_000_000_000L)
            .setDigest("sha256:" + "ab".repeat(32))
            .setSizeBytes(1_000)
            .setStoredBytes(10)
            .setFileCount(3)
            .setPackCount(1)
            .setPackBytes(500)
            .setVerification(verification)
            .build();
    CHECKPOINTS.put(id, stored);
    return stored;
  }

  /** Sets the response about the files that the run needs to continue; null: OK. */
  public static void files(String run, @Nullable Status problem) {
    if (problem == null) {
      WITHOUT_FILES.remove(run);
    } else {
      WITHOUT_FILES.put(run, problem);
    }
  }

  /** Adds a run to the git archive, newer than the previous ones. */
  public static void archive(String run, String manifest) {
    ARCHIVED.addFirst(
        ArchivedRun.newBuilder()
            .setRun(run)
            .setCommit("c0ffee")
            .setArchivedAtMicros(1_700_000_000_000_000L)
            .setManifest(ByteString.copyFromUtf8(manifest))
            .build());
  }

  /** Empties the archive. */
  public static void archiveNothing() {
    ARCHIVED.clear();
  }

  /** Adds lines to a run's log, starting with this one; {@code last}: the epoch has no more. */
  public static void log(String run, int epoch, long firstLine, boolean last, List<String> texts) {
    FakeLog log = LOGS.computeIfAbsent(run, key -> new FakeLog());
    log.add(epoch, firstLine, last, texts);
  }

  /** Adds a checkpoint and sends its event to the follower of the run. */
  public static void saved(String run, String id) {
    put(id, run, "pending");
    tell(run, "checkpoint_saved", "{\"checkpoint\":\"" + id + "\",\"trigger\":\"manual\"}");
  }

  /**
   * Sends an event of the run to its follower.
   *
   * @param type without its prefix
   * @param data in JSON
   */
  public static void tell(String run, String type, String data) {
    Objects.requireNonNull(FOLLOWERS.get(run), "the run has no follower")
        .onNext(
            Event.newBuilder()
                .setPosition(9)
                .setId(run + "/1/9")
                .setType("dev.baton." + type)
                .setData(ByteString.copyFromUtf8(data))
                .build());
  }

  /** Waits until the run has a follower, or has none any more. */
  public static void awaitFollowed(String run, boolean wanted) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    synchronized (FOLLOWERS) {
      while (FOLLOWERS.containsKey(run) != wanted) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError("run " + run + " is followed: " + !wanted);
        }
        try {
          FOLLOWERS.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AssertionError("interrupted", e);
        }
      }
    }
  }

  private static void follow(String run, ServerCallStreamObserver<Event> out) {
    out.setOnCancelHandler(
        () -> {
          synchronized (FOLLOWERS) {
            FOLLOWERS.remove(run, out);
            FOLLOWERS.notifyAll();
          }
        });
    synchronized (FOLLOWERS) {
      FOLLOWERS.put(run, out);
      FOLLOWERS.notifyAll();
    }
  }

  /** Sets how many bytes the checkpoints of a project keep. */
  public static void store(String project, long bytes) {
    STORED.put(project, bytes);
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    CHECKPOINTS.clear();
    WITHOUT_FILES.clear();
    FOLLOWERS.clear();
    LOGS.clear();
    STORED.clear();
  }

  private static final class Service
      implements SnapshotServiceGrpc.AsyncService,
          CheckpointServiceGrpc.AsyncService,
          ArchiveServiceGrpc.AsyncService,
          MaintenanceServiceGrpc.AsyncService {
    List<ServerServiceDefinition> services() {
      return List.of(
          SnapshotServiceGrpc.bindService(this),
          CheckpointServiceGrpc.bindService(this),
          ArchiveServiceGrpc.bindService(this),
          MaintenanceServiceGrpc.bindService(this));
    }

    @Override
    public void getSnapshot(GetSnapshotRequest request, StreamObserver<Snapshot> out) {
      RunState state = RunState.empty(request.getCaller().getRun());
      only(out, Snapshot.newBuilder().setState(ByteString.copyFrom(Json.bytes(state))).build());
    }

    @Override
    public void readLog(ReadLogRequest request, StreamObserver<ReadLogResponse> out) {
      only(out, LOGS.computeIfAbsent(request.getRun(), key -> new FakeLog()).read(request));
    }

    @Override
    public void requireFiles(
        RequireFilesRequest request, StreamObserver<RequireFilesResponse> out) {
      Status problem = WITHOUT_FILES.get(request.getRun());
      if (problem == null) {
        only(out, RequireFilesResponse.getDefaultInstance());
      } else {
        out.onError(problem.asRuntimeException());
      }
    }

    @Override
    public void listArchive(ListArchiveRequest request, StreamObserver<ListArchiveResponse> out) {
      List<ArchivedRun> older =
          ARCHIVED.stream()
              .filter(
                  run ->
                      !request.hasVisible()
                          || request
                              .getVisible()
                              .getProjectsList()
                              .contains(
                                  Json.tree(run.getManifest().toByteArray())
                                      .path("project")
                                      .asText()))
              .filter(
                  run ->
                      request.getCursor().isEmpty()
                          || run.getRun().compareTo(request.getCursor()) < 0)
              .toList();
      List<ArchivedRun> page = older.subList(0, Math.min(request.getLimit(), older.size()));
      only(
          out,
          ListArchiveResponse.newBuilder()
              .addAllRuns(page)
              .setNextCursor(page.size() < older.size() ? page.getLast().getRun() : "")
              .build());
    }

    @Override
    public void events(EventsRequest request, StreamObserver<Event> out) {
      for (long position = request.getAfter() + 1; position <= 3; position++) {
        out.onNext(
            Event.newBuilder()
                .setPosition(position)
                .setId(request.getRun() + "/1/" + position)
                .setSource("/test")
                .setType("dev.baton.plan_updated")
                .setTimeMicros(1_000_000L * position)
                .setData(
                    ByteString.copyFromUtf8(
                        "{\"step\":\"a\",\"items\":[%d],\"seen\":\"%s\"}"
                            .formatted(position, request.getSeenList())))
                .build());
      }
      if (request.getFollow() && !newestFirst(request.getRun(), "").isEmpty()) {
        follow(request.getRun(), (ServerCallStreamObserver<Event>) out);
      } else {
        out.onCompleted();
      }
    }

    @Override
    public void listCuts(ListCutsRequest request, StreamObserver<ListCutsResponse> out) {
      ListCutsResponse.Builder cuts = ListCutsResponse.newBuilder();
      for (StoredCheckpoint stored : newestFirst(request.getRun(), "")) {
        cuts.addCuts(
            Cut.newBuilder()
                .setCheckpoint(stored.getId())
                .setFormat("baton-tree-2")
                .setDigest(stored.getDigest())
                .setStep(stored.getStep())
                .setPosition(2));
      }
      only(out, cuts.build());
    }

    @Override
    public void listCheckpoints(
        ListCheckpointsRequest request, StreamObserver<ListCheckpointsResponse> out) {
      List<StoredCheckpoint> all = newestFirst(request.getRun(), request.getProject());
      int from = request.getCursor().isEmpty() ? 0 : Integer.parseInt(request.getCursor());
      int to = Math.min(all.size(), from + Math.min(PAGE, request.getLimit()));
      only(
          out,
          ListCheckpointsResponse.newBuilder()
              .addAllCheckpoints(all.subList(Math.min(from, to), to))
              .setNextCursor(to < all.size() ? Integer.toString(to) : "")
              .build());
    }

    @Override
    public void getCheckpoint(
        GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> out) {
      StoredCheckpoint present = CHECKPOINTS.get(request.getId());
      boolean hidden =
          present != null
              && request.hasVisible()
              && !request.getVisible().getProjectsList().contains(present.getProject());
      StoredCheckpoint stored = hidden ? absent(request.getId(), out) : find(request.getId(), out);
      if (stored != null) {
        only(
            out,
            GetCheckpointResponse.newBuilder()
                .setCheckpoint(stored)
                .setManifest(ByteString.copyFromUtf8("{\"version\":\"1.0\",\"odd\":1}"))
                .build());
      }
    }

    @Override
    public void openCheckpoint(
        OpenCheckpointRequest request, StreamObserver<OpenCheckpointResponse> out) {
      if (find(request.getCheckpoint(), out) != null) {
        only(
            out,
            OpenCheckpointResponse.newBuilder()
                .setManifest(ByteString.copyFromUtf8("{\"version\":\"1.0\"}"))
                .addPacks(
                    OpenPack.newBuilder()
                        .setDigest(ByteString.copyFrom(new byte[32]))
                        .setSizeBytes(500)
                        .setIndexBytes(80)
                        .setGetUrl(
                            "http://127.0.0.1:1/pack?epoch=" + request.getCaller().getEpoch()))
                .build());
      }
    }

    @Override
    public void pinCheckpoint(PinCheckpointRequest request, StreamObserver<StoredCheckpoint> out) {
      StoredCheckpoint stored = find(request.getId(), out);
      if (stored != null) {
        StoredCheckpoint pinned =
            stored.toBuilder()
                .setPinned(request.getPinned())
                .setPinReason(request.getReason())
                .setPinnedBy(request.getBy())
                .build();
        CHECKPOINTS.put(pinned.getId(), pinned);
        only(out, pinned);
      }
    }

    @Override
    public void verifyCheckpoint(
        VerifyCheckpointRequest request, StreamObserver<VerifyCheckpointResponse> out) {
      StoredCheckpoint stored = find(request.getId(), out);
      if (stored == null) {
        return;
      }
      boolean verified = !stored.getVerification().equals("corrupt");
      VerifyCheckpointResponse.Builder answer =
          VerifyCheckpointResponse.newBuilder().setVerified(verified).setPacks(1).setBytes(500);
      if (!verified) {
        answer.addFindings(
            Finding.newBuilder()
                .setPack(stored.getDigest())
                .setWhat("its bytes have another digest")
                .addCheckpoints(stored.getId())
                .addRuns(stored.getRun()));
      }
      only(out, answer.build());
    }

    /** Every run can be forked after every step. */
    @Override
    public void prepareFork(PrepareForkRequest request, StreamObserver<PrepareForkResponse> out) {
      out.onNext(
          PrepareForkResponse.newBuilder()
              .setParent(request.getParent())
              .setPosition(3)
              .setStep(request.getStep())
              .setCheckpoint(request.getCheckpoint())
              .build());
      out.onCompleted();
    }

    @Override
    public void verifyEvents(
        VerifyEventsRequest request, StreamObserver<VerifyEventsResponse> out) {
      only(out, TestVerificationFactory.response(request.getRun()));
    }

    @Override
    public void deleteRun(DeleteRunRequest request, StreamObserver<DeleteRunResponse> out) {
      HeldDeletion held = DELETIONS.remove(request.getRun());
      if (held != null) {
        held.requested().complete(null);
        held.allowed().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      }
      List<StoredCheckpoint> all = newestFirst(request.getRun(), "");
      if (!request.getForce() && all.stream().anyMatch(StoredCheckpoint::getPinned)) {
        out.onError(
            Status.FAILED_PRECONDITION
                .withDescription("a checkpoint is pinned")
                .asRuntimeException());
        return;
      }
      all.forEach(stored -> CHECKPOINTS.remove(stored.getId()));
      only(
          out,
          DeleteRunResponse.newBuilder()
              .setDeleted(RunCounts.newBuilder().setEvents(3).setCheckpoints(all.size()))
              .setPacksWaiting(request.getNow() ? 0 : 1)
              .build());
    }

    @Override
    public void measureProjects(
        MeasureProjectsRequest request, StreamObserver<MeasureProjectsResponse> out) {
      MeasureProjectsResponse.Builder measured = MeasureProjectsResponse.newBuilder();
      for (String project : request.getProjectsList()) {
        measured.addProjects(
            ProjectStorage.newBuilder()
                .setProject(project)
                .setBytes(STORED.getOrDefault(project, 0L)));
      }
      only(out, measured.build());
    }

    /** Has the first of the requested chunks. */
    @Override
    public void findChunks(FindChunksRequest request, StreamObserver<FindChunksResponse> out) {
      FindChunksResponse.Builder found =
          FindChunksResponse.newBuilder()
              .addPacks(
                  FoundPack.newBuilder()
                      .setDigest(ByteString.copyFrom(new byte[32]))
                      .setSizeBytes(500)
                      .setIndexBytes(80));
      for (int i = 0; i < request.getDigests().size() / 32; i++) {
        found.addPlaces(i == 0 ? 1 : 0);
      }
      only(out, found.build());
    }

    @Override
    public void prepareUpload(
        PrepareUploadRequest request, StreamObserver<PrepareUploadResponse> out) {
      PrepareUploadResponse.Builder places = PrepareUploadResponse.newBuilder();
      for (ObjectRef object : request.getObjectsList()) {
        places.addUploads(
            Upload.newBuilder()
                .setDigest(object.getDigest())
                .setPutUrl("http://127.0.0.1:1/" + object.getKind())
                .putHeaders("x-amz-checksum-sha256", "abc"));
      }
      only(out, places.build());
    }

    @Override
    public void registerPacks(
        RegisterPacksRequest request, StreamObserver<RegisterPacksResponse> out) {
      if (request.getPacks(0).getChunks().size() != 64) {
        out.onError(Status.INVALID_ARGUMENT.withDescription("no chunks").asRuntimeException());
        return;
      }
      only(out, RegisterPacksResponse.getDefaultInstance());
    }

    @Override
    public void commitCheckpoint(
        CommitCheckpointRequest request, StreamObserver<CommitCheckpointResponse> out) {
      put(
          ManifestCodec.read(request.getManifest().toByteArray()).id(),
          request.getCaller().getRun(),
          "pending");
      only(out, CommitCheckpointResponse.getDefaultInstance());
    }

    private static @Nullable StoredCheckpoint find(String id, StreamObserver<?> out) {
      StoredCheckpoint stored = CHECKPOINTS.get(id);
      return stored == null ? absent(id, out) : stored;
    }

    private static @Nullable StoredCheckpoint absent(String id, StreamObserver<?> out) {
      out.onError(
          Status.NOT_FOUND.withDescription("no checkpoint '" + id + "'").asRuntimeException());
      return null;
    }

    private static List<StoredCheckpoint> newestFirst(String run, String project) {
      List<StoredCheckpoint> found = new ArrayList<>();
      for (Map.Entry<String, StoredCheckpoint> each : CHECKPOINTS.entrySet()) {
        StoredCheckpoint stored = each.getValue();
        if (run.isEmpty() ? stored.getProject().equals(project) : stored.getRun().equals(run)) {
          found.add(stored);
        }
      }
      found.sort((a, b) -> b.getId().compareTo(a.getId()));
      return found;
    }

    private static <T> void only(StreamObserver<T> out, T answer) {
      out.onNext(answer);
      out.onCompleted();
    }
  }
}
