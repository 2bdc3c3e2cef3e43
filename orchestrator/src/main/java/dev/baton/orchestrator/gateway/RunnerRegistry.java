/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Pause;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Which runners are attached to this replica and what they carry. Thread-safe. */
@ApplicationScoped
public class RunnerRegistry {
  private static final Duration SQL = Duration.ofSeconds(10);

  private final RunControlStateLoader contexts;
  private final ConcurrentMap<String, RunnerConnection> byRunner = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, RunnerConnection> byRun = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, CompletableFuture<Void>> expected = new ConcurrentHashMap<>();
  private final Event<RunnerSlotsFreedEvent> slots;

  RunnerRegistry(RunControlStateLoader contexts, Event<RunnerSlotsFreedEvent> slots) {
    this.slots = slots;
    this.contexts = contexts;
  }

  // A dead stream must not come after the living one of the same runner: what a stream gets and its
  // end exclude each other.
  private final Object lock = new Object();

  /** False when the stream has ended meanwhile. */
  boolean add(RunnerConnection attached) {
    synchronized (lock) {
      if (attached.isClosed()) {
        return false;
      }
      byRunner.put(attached.runner(), attached);
    }
    CompletableFuture<Void> awaited = expected.remove(attached.runner());
    if (awaited != null) {
      awaited.complete(null);
    }
    return true;
  }

  /** Completes when the runner attaches for the first time from now on. */
  public CompletableFuture<Void> expect(String runner) {
    CompletableFuture<Void> awaited =
        expected.computeIfAbsent(runner, id -> new CompletableFuture<>());
    if (byRunner.containsKey(runner)) {
      expected.remove(runner, awaited);
      awaited.complete(null);
    }
    return awaited;
  }

  /** Nobody waits for it any more. */
  public void expectNoMore(String runner) {
    expected.remove(runner);
  }

  void remove(RunnerConnection attached) {
    synchronized (lock) {
      attached.close();
      forget(attached);
    }
  }

  /**
   * The runner's process has ended. Its stream need not have noticed: where the other side is
   * killed the server may hear nothing of it, and nothing must be given to it any more.
   */
  public void gone(String runner) {
    RunnerConnection attached = byRunner.get(runner);
    if (attached != null) {
      remove(attached);
      attached.end();
    }
  }

  private void forget(RunnerConnection attached) {
    byRunner.remove(attached.runner(), attached);
    attached.runs().keySet().forEach(run -> byRun.remove(run, attached));
  }

  public Optional<RunnerConnection> runner(String id) {
    return Optional.ofNullable(byRunner.get(id));
  }

  /** Who carries the run, as far as this replica knows. */
  public Optional<RunnerConnection> holder(String run) {
    return Optional.ofNullable(byRun.get(run));
  }

  /** Takes the only slot of an idle runner that serves one run, whichever. */
  public Optional<RunnerConnection> takeWarm() {
    return byRunner.values().stream()
        .filter(attached -> attached.mode() == RunnerConnection.Mode.WARM && attached.hasRoom())
        .filter(RunnerConnection::tryTake)
        .findFirst();
  }

  /** Takes a slot of the least loaded shared runner that has one. */
  public Optional<RunnerConnection> takeSlot() {
    return byRunner.values().stream()
        .filter(RunnerRegistry::isSharedWithRoom)
        .sorted(Comparator.comparingInt(RunnerConnection::free).reversed())
        .filter(RunnerConnection::tryTake)
        .findFirst();
  }

  private static boolean isSharedWithRoom(RunnerConnection attached) {
    return attached.mode() == RunnerConnection.Mode.SHARED && attached.hasRoom();
  }

  /** Whether a shared runner is attached here that could take a run. */
  public boolean hasRoom() {
    return byRunner.values().stream().anyMatch(RunnerRegistry::isSharedWithRoom);
  }

  /** The runners that are attached here now. */
  List<RunnerConnection> all() {
    return List.copyOf(byRunner.values());
  }

  /** The runner is attached to another replica: what it had here is over. */
  void elsewhere(String runner) {
    CompletableFuture<Void> awaited = expected.remove(runner);
    if (awaited != null) {
      awaited.complete(null);
    }
    gone(runner);
  }

  /** The runner has said something. */
  void heard(RunnerConnection attached) {
    if (attached.heard()) {
      slots.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** Takes a slot of this runner; false when it has none. */
  public boolean takeSlot(RunnerConnection attached) {
    return attached.tryTake();
  }

  /** Whether the runner has been given the run. */
  public boolean carries(RunnerConnection attached, String run) {
    return attached.runs().containsKey(run);
  }

  /** Gives a slot back, and tells whoever waits for one where there was none. */
  public void giveBack(RunnerConnection attached) {
    if (attached.giveBack()) {
      slots.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** Hands the run over, on a slot that was taken. False when the stream has ended: not sent. */
  public boolean assign(RunnerConnection attached, Assign assign) {
    boolean had;
    synchronized (lock) {
      if (attached.isClosed()) {
        return false;
      }
      had = attached.hold(assign.getRun(), assign.getEpoch());
      byRun.put(assign.getRun(), attached);
      attached.send(GatewayMessage.newBuilder().setAssign(assign).build());
    }
    if (had) {
      giveBack(attached);
    }
    return true;
  }

  /** The runner carries this run already. False when the stream has ended. */
  boolean adopt(RunnerConnection attached, String run, int epoch) {
    synchronized (lock) {
      if (attached.isClosed()) {
        return false;
      }
      attached.adopt(run, epoch);
      byRun.put(run, attached);
      return true;
    }
  }

  /** Whether it was held. Its slot is free then, and whoever waits for one is told. */
  boolean release(RunnerConnection attached, String run, int epoch) {
    synchronized (lock) {
      if (!attached.drop(run, epoch)) {
        return false;
      }
      byRun.remove(run, attached);
    }
    if (attached.mode() == RunnerConnection.Mode.SHARED) { // Others end with their run.
      giveBack(attached);
    }
    return true;
  }

  /** Tells the run's runner that an older epoch than this is over. */
  public void fence(String run, int below) {
    RunnerConnection holder = byRun.get(run);
    Integer epoch = holder == null ? null : holder.runs().get(run);
    if (holder == null || epoch == null || epoch >= below) {
      return;
    }
    // It may hang: before it has answered it must not get what it has just lost.
    holder.doubt();
    release(holder, run, epoch);
    holder.send(
        GatewayMessage.newBuilder()
            .setFenced(Fenced.newBuilder().setRun(run).setEpoch(epoch))
            .build());
  }

  /** Tells the run's runner to stop, where one is attached here. */
  public void cancel(String run, String reason) {
    holder(run)
        .ifPresent(
            holder ->
                holder.send(
                    GatewayMessage.newBuilder()
                        .setCancel(Cancel.newBuilder().setRun(run).setReason(reason))
                        .build()));
  }

  /** Tells the run's runner to pause, where one is attached here. */
  public void pause(String run, boolean now) {
    holder(run).ifPresent(holder -> holder.send(pauseMessage(run, now)));
  }

  static GatewayMessage pauseMessage(String run, boolean now) {
    return GatewayMessage.newBuilder().setPause(Pause.newBuilder().setRun(run).setNow(now)).build();
  }

  /** Sends an answer to the run's runner, where one is attached. Blocks for the query. */
  public void deliver(String run, String approval) {
    holder(run)
        .ifPresent(
            holder -> {
              var answer = contexts.answer(approval).await().atMost(SQL);
              if (answer != null) {
                holder.send(GatewayMessage.newBuilder().setAnswer(answer).build());
              }
            });
  }
}
