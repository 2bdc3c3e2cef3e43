/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Checkpoint;
import dev.baton.protocol.grpc.CheckpointFailed;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.Confirmed;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.HandOver;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.Leaving;
import dev.baton.protocol.grpc.Pause;
import dev.baton.protocol.grpc.Released;
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The orchestrator's side of runner streams, scripted by a test. Thread-safe. */
public final class ScriptedGateway extends RunnerGatewayServiceGrpc.RunnerGatewayServiceImplBase {
  private static final long PATIENCE_MS = 30_000;

  private final Map<String, StreamObserver<GatewayMessage>> streams = new HashMap<>();
  private final List<Hello> hellos = new ArrayList<>();
  private final List<Released> released = new ArrayList<>();
  private final List<CheckpointFailed> failed = new ArrayList<>();
  private final List<Confirm> confirms = new ArrayList<>();
  private final Map<String, Leaving> leaving = new HashMap<>();
  private final Set<String> unconfirmed = new HashSet<>();

  @Override
  public StreamObserver<RunnerMessage> attach(StreamObserver<GatewayMessage> toRunner) {
    return new StreamObserver<>() {
      private @Nullable String runner;

      @Override
      public void onNext(RunnerMessage message) {
        synchronized (ScriptedGateway.this) {
          switch (message.getMessageCase()) {
            case HELLO -> {
              runner = message.getHello().getRunnerId();
              streams.put(runner, toRunner);
              hellos.add(message.getHello());
            }
            case RELEASED -> released.add(message.getReleased());
            case CHECKPOINT_FAILED -> failed.add(message.getCheckpointFailed());
            case CONFIRM -> {
              confirms.add(message.getConfirm());
              if (!unconfirmed.contains(message.getConfirm().getRun())) {
                toRunner.onNext(confirmed(message.getConfirm()));
              }
            }
            case LEAVING -> leaving.put(Objects.requireNonNull(runner), message.getLeaving());
            case MESSAGE_NOT_SET -> throw new AssertionError(message);
          }
          ScriptedGateway.this.notifyAll();
        }
      }

      @Override
      public void onError(Throwable broken) {
        gone();
      }

      @Override
      public void onCompleted() {
        gone();
        toRunner.onCompleted();
      }

      private void gone() {
        synchronized (ScriptedGateway.this) {
          if (runner != null) {
            streams.remove(runner, toRunner);
          }
          ScriptedGateway.this.notifyAll();
        }
      }
    };
  }

  public synchronized Hello awaitHello(String runner) throws InterruptedException {
    return await(
        () -> hellos.stream().filter(h -> h.getRunnerId().equals(runner)).reduce((a, b) -> b),
        "no hello of " + runner);
  }

  public synchronized int hellos(String runner) {
    return (int) hellos.stream().filter(h -> h.getRunnerId().equals(runner)).count();
  }

  public synchronized Released awaitReleased(String run, int epoch) throws InterruptedException {
    return await(
        () ->
            released.stream()
                .filter(r -> r.getRun().equals(run) && r.getEpoch() == epoch)
                .findFirst(),
        "run " + run + " was not released");
  }

  /** Makes {@link #awaitReleased} wait for a release of this run that comes from now on. */
  public synchronized void forgetReleased(String run) {
    released.removeIf(earlier -> earlier.getRun().equals(run));
  }

  public synchronized Leaving awaitLeaving(String runner) throws InterruptedException {
    return await(
        () -> Optional.ofNullable(leaving.get(runner)), "runner " + runner + " does not leave");
  }

  public void handOver(String runner, String run, int epoch, boolean atOnce)
      throws InterruptedException {
    HandOver ready = HandOver.newBuilder().setRun(run).setEpoch(epoch).setAtOnce(atOnce).build();
    send(runner, GatewayMessage.newBuilder().setHandOver(ready).build());
  }

  public synchronized CheckpointFailed awaitCheckpointFailed(String request)
      throws InterruptedException {
    return await(
        () -> failed.stream().filter(f -> f.getRequestId().equals(request)).findFirst(),
        "request " + request + " has not failed");
  }

  /** Waits for the first failed checkpoint of a run, regardless of the request. */
  public synchronized CheckpointFailed awaitAnyCheckpointFailed(String run)
      throws InterruptedException {
    return await(
        () -> failed.stream().filter(f -> f.getRun().equals(run)).findFirst(),
        "no request of run " + run + " has failed");
  }

  /** Stops confirming this run automatically. */
  public synchronized void leaveUnconfirmed(String run) {
    unconfirmed.add(run);
    confirms.removeIf(earlier -> earlier.getRun().equals(run));
  }

  /** Waits for the newest confirmation request of a run that is not confirmed automatically. */
  public synchronized Confirm awaitConfirm(String run) throws InterruptedException {
    return await(
        () -> confirms.stream().filter(c -> c.getRun().equals(run)).reduce((a, b) -> b),
        "run " + run + " was not in a confirmation request");
  }

  public synchronized boolean isConfirmAsked(String run) {
    return confirms.stream().anyMatch(c -> c.getRun().equals(run));
  }

  /**
   * Confirms a run, and from now on confirms it automatically: a busy machine suspends runs, too.
   */
  public synchronized void confirm(String runner, Confirm asked) throws InterruptedException {
    unconfirmed.remove(asked.getRun());
    send(runner, confirmed(asked));
  }

  private static GatewayMessage confirmed(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setConfirmed(
            Confirmed.newBuilder()
                .setRun(asked.getRun())
                .setEpoch(asked.getEpoch())
                .setSuspension(asked.getSuspension()))
        .build();
  }

  public void checkpoint(String runner, String run, String trigger, String request)
      throws InterruptedException {
    Checkpoint asked =
        Checkpoint.newBuilder().setRun(run).setTrigger(trigger).setRequestId(request).build();
    send(runner, GatewayMessage.newBuilder().setCheckpoint(asked).build());
  }

  public void assign(String runner, Assign assign) throws InterruptedException {
    send(runner, GatewayMessage.newBuilder().setAssign(assign).build());
  }

  public void answer(String runner, String run, String approval, String json)
      throws InterruptedException {
    Answer answer =
        Answer.newBuilder()
            .setRun(run)
            .setApproval(approval)
            .setAnswer(ByteString.copyFrom(json, StandardCharsets.UTF_8))
            .build();
    send(runner, GatewayMessage.newBuilder().setAnswer(answer).build());
  }

  public void cancel(String runner, String run) throws InterruptedException {
    send(runner, GatewayMessage.newBuilder().setCancel(Cancel.newBuilder().setRun(run)).build());
  }

  /** Requests a pause like an orchestrator that does not send the epoch. */
  public void pause(String runner, String run) throws InterruptedException {
    pause(runner, run, 0);
  }

  public void pause(String runner, String run, int epoch) throws InterruptedException {
    Pause pause = Pause.newBuilder().setRun(run).setEpoch(epoch).build();
    send(runner, GatewayMessage.newBuilder().setPause(pause).build());
  }

  public void pauseNow(String runner, String run) throws InterruptedException {
    Pause pause = Pause.newBuilder().setRun(run).setNow(true).build();
    send(runner, GatewayMessage.newBuilder().setPause(pause).build());
  }

  public void fence(String runner, String run, int epoch) throws InterruptedException {
    Fenced fenced = Fenced.newBuilder().setRun(run).setEpoch(epoch).build();
    send(runner, GatewayMessage.newBuilder().setFenced(fenced).build());
  }

  /** Breaks the stream, like a restart of the orchestrator. */
  public synchronized void breakStream(String runner) throws InterruptedException {
    stream(runner).onError(io.grpc.Status.UNAVAILABLE.asException());
    streams.remove(runner);
  }

  private synchronized void send(String runner, GatewayMessage message)
      throws InterruptedException {
    stream(runner).onNext(message);
  }

  private synchronized StreamObserver<GatewayMessage> stream(String runner)
      throws InterruptedException {
    return await(() -> Optional.ofNullable(streams.get(runner)), runner + " is not attached");
  }

  private interface Look<T> {
    Optional<T> find();
  }

  private synchronized <T> T await(Look<T> look, String otherwise) throws InterruptedException {
    long end = System.currentTimeMillis() + PATIENCE_MS;
    while (true) {
      Optional<T> found = look.find();
      if (found.isPresent()) {
        return found.get();
      }
      long left = end - System.currentTimeMillis();
      if (left <= 0) {
        throw new AssertionError(otherwise);
      }
      wait(left);
    }
  }
}
