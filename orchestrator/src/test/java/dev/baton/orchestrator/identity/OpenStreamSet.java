/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOpened;
import dev.baton.protocol.grpc.TerminalOutput;
import dev.baton.protocol.net.BearerCredential;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of each kind with the same credential: events over SSE and gRPC, a followed log, and a
 * terminal. Each future completes when its stream has ended.
 */
record OpenStreamSet(
    HttpClient http,
    List<ManagedChannel> channels,
    CompletableFuture<String> events,
    CompletableFuture<Status> call,
    CompletableFuture<ReadLog> log,
    CompletableFuture<Closed> terminal)
    implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 20;

  /** The frame that closed a WebSocket. */
  record Closed(int code, String reason) {}

  /** What was read of a log, and whether its response was complete. */
  record ReadLog(List<String> lines, boolean isComplete) {}

  /** Opens all of them, and waits until those of gRPC and of the log have delivered an item. */
  static OpenStreamSet open(
      OrchestratorTestEnvironment bed, ScriptedRunner runner, String run, String credential)
      throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(credential));
    ManagedChannel caller = bed.channel(Optional.of(credential));
    ManagedChannel gateway = bed.channel(Optional.empty());
    return new OpenStreamSet(
        http,
        List.of(caller, gateway),
        events(http, client, run),
        call(caller, run),
        log(http, client, run),
        terminal(http, bed, gateway, runner, run, credential));
  }

  private static InputStream get(
      HttpClient http, OrchestratorTestClient client, String path, String accept) throws Exception {
    HttpResponse<InputStream> response =
        http.send(
            client.request(path).header("Accept", accept).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new AssertionError(path + ": " + response.statusCode());
    }
    return response.body();
  }

  private static CompletableFuture<String> events(
      HttpClient http, OrchestratorTestClient client, String run) throws Exception {
    InputStream body = get(http, client, "/runs/" + run + "/events", "text/event-stream");
    CompletableFuture<String> read = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try (body) {
                read.complete(new String(body.readAllBytes(), StandardCharsets.UTF_8));
              } catch (IOException e) {
                read.completeExceptionally(e);
              }
            });
    return read;
  }

  private static CompletableFuture<ReadLog> log(
      HttpClient http, OrchestratorTestClient client, String run) throws Exception {
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                get(http, client, "/runs/" + run + "/logs?follow=true", "application/x-ndjson"),
                StandardCharsets.UTF_8));
    List<String> lines = new ArrayList<>();
    lines.add(reader.readLine());
    CompletableFuture<ReadLog> read = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try (reader) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  lines.add(line);
                }
                read.complete(new ReadLog(lines, true));
              } catch (IOException e) {
                read.complete(new ReadLog(lines, false));
              }
            });
    return read;
  }

  private static CompletableFuture<Status> call(ManagedChannel channel, String run)
      throws InterruptedException {
    CompletableFuture<Status> ended = new CompletableFuture<>();
    CountDownLatch first = new CountDownLatch(1);
    RunsServiceGrpc.newStub(channel)
        .streamEvents(
            EventsRequest.newBuilder().setRun(run).setFollow(true).build(),
            new StreamObserver<>() {
              @Override
              public void onNext(Event event) {
                first.countDown();
              }

              @Override
              public void onError(Throwable failure) {
                first.countDown();
                ended.complete(Status.fromThrowable(failure));
              }

              @Override
              public void onCompleted() {
                first.countDown();
                ended.complete(Status.OK);
              }
            });
    if (!first.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no event");
    }
    return ended;
  }

  /** Opens a terminal, whose runner is a script. */
  private static CompletableFuture<Closed> terminal(
      HttpClient http,
      OrchestratorTestEnvironment bed,
      ManagedChannel gateway,
      ScriptedRunner runner,
      String run,
      String credential)
      throws Exception {
    CompletableFuture<Closed> closed = new CompletableFuture<>();
    CompletableFuture<WebSocket> socket =
        http.newWebSocketBuilder()
            .header(BearerCredential.HEADER, BearerCredential.header(credential))
            .buildAsync(
                URI.create("ws://127.0.0.1:%d/runs/%s/terminal".formatted(bed.port(), run)),
                new WebSocket.Listener() {
                  @Override
                  public @Nullable CompletionStage<?> onClose(
                      WebSocket from, int code, String reason) {
                    closed.complete(new Closed(code, reason));
                    return null;
                  }

                  @Override
                  public void onError(WebSocket from, Throwable failure) {
                    closed.completeExceptionally(failure);
                  }
                });
    String id = runner.await(GatewayMessage::hasOpenTerminal).getOpenTerminal().getId();
    StreamObserver<TerminalOutput> out =
        RunnerGatewayServiceGrpc.newStub(gateway)
            .terminal(
                new StreamObserver<>() {
                  @Override
                  public void onNext(TerminalInput input) {
                    // The script types nothing.
                  }

                  @Override
                  public void onError(Throwable failure) {
                    // The channel is closed.
                  }

                  @Override
                  public void onCompleted() {
                    // The client is detached.
                  }
                });
    out.onNext(
        TerminalOutput.newBuilder()
            .setOpened(TerminalOpened.newBuilder().setId(id).setStep("a"))
            .build());
    socket.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return closed;
  }

  /** Whether a stream has ended. */
  boolean isAnyDone() {
    return events.isDone() || call.isDone() || log.isDone() || terminal.isDone();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    http.shutdownNow();
  }
}
