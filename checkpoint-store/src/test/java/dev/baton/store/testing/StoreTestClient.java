/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.protocol.grpc.ArchiveServiceGrpc;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.grpc.MaintenanceServiceGrpc;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.grpc.Upload;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Sends requests to the store over gRPC, as a runner does, and over HTTP, as a person does. */
public final class StoreTestClient implements AutoCloseable {
  private final URI base;
  private final ManagedChannel channel;
  private final HttpClient http = HttpClient.newHttpClient();

  public StoreTestClient(URI base) {
    this.base = base;
    channel =
        ManagedChannelBuilder.forAddress(base.getHost(), base.getPort()).usePlaintext().build();
  }

  public SnapshotServiceGrpc.SnapshotServiceBlockingStub snapshots() {
    return SnapshotServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public CheckpointServiceGrpc.CheckpointServiceBlockingStub checkpoints() {
    return CheckpointServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public ArchiveServiceGrpc.ArchiveServiceBlockingStub archive() {
    return ArchiveServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public MaintenanceServiceGrpc.MaintenanceServiceBlockingStub maintenance() {
    return MaintenanceServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  public RunState snapshot(String run, int epoch) {
    return Json.read(
        snapshots()
            .getSnapshot(
                GetSnapshotRequest.newBuilder()
                    .setCaller(Caller.newBuilder().setRun(run).setEpoch(epoch))
                    .setWaitMillis(30_000)
                    .build())
            .getState()
            .toByteArray(),
        RunState.class);
  }

  public List<Event> events(String run, boolean follow) {
    List<Event> all = new ArrayList<>();
    snapshots()
        .events(EventsRequest.newBuilder().setRun(run).setFollow(follow).build())
        .forEachRemaining(all::add);
    return all;
  }

  /** Waits until the run has ended and returns the ids of all its events in order. */
  public List<String> idsUntilEnd(String run) {
    return events(run, true).stream().map(Event::getId).toList();
  }

  /** Repeats a query until the result matches, for at most 60 s. */
  public <T> T until(Supplier<T> question, Predicate<T> wanted) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      T answer = question.get();
      if (wanted.test(answer)) {
        return answer;
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError("after 60 s it was still: " + answer);
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  public HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(base.resolve(path)).build());
  }

  /** Uploads with the URL and the headers that the store returned. */
  public HttpResponse<String> put(Upload upload, byte[] body) {
    return put(upload.getPutUrl(), upload.getHeadersMap(), body);
  }

  public HttpResponse<String> put(String url, Map<String, String> headers, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).PUT(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    return send(request.build());
  }

  public HttpResponse<String> getUrl(String url) {
    return send(HttpRequest.newBuilder(URI.create(url)).build());
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Runs work in parallel to the test on its own thread. The common pool has only one thread on a
   * small machine, and the JDK also reports exited processes on that thread.
   */
  public static <T> CompletableFuture<T> beside(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task));
  }

  @Override
  public void close() {
    channel.shutdownNow();
    http.close();
  }
}
