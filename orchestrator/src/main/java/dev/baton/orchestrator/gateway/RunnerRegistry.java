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
import java.util.function.Predicate;

/** Holds the runners attached to this replica and the runs they carry. Thread-safe. */
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

  // Serializes messages to a stream with its end, so that a dead stream cannot replace the live one
  // of the same runner.
  private final Object lock = new Object();

  /** Returns false when the stream has ended meanwhile. */
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

  /** Completes at the runner's first attach from now on. */
  public CompletableFuture<Void> expect(String runner) {
    CompletableFuture<Void> awaited =
        expected.computeIfAbsent(runner, id -> new CompletableFuture<>());
    if (byRunner.containsKey(runner)) {
      expected.remove(runner, awaited);
      awaited.complete(null);
    }
    return awaited;
  }

  /** Removes the expectation when its caller no longer waits. */
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
   * Detaches a runner whose process has ended. The server may not notice the end of its stream when
   * the process is killed, and no run may be assigned to it any more.
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

  /** The runner that carries the run, if it is attached to this replica. */
  public Optional<RunnerConnection> holder(String run) {
    return Optional.ofNullable(byRun.get(run));
  }

  /** Takes the only slot of any idle warm runner that is selected. */
  public Optional<RunnerConnection> takeWarm(Predicate<RunnerConnection> selected) {
    return byRunner.values().stream()
        .filter(attached -> attached.mode() == RunnerConnection.Mode.WARM && attached.hasRoom())
        .filter(selected)
        .filter(RunnerConnection::tryTake)
        .findFirst();
  }

  /**
   * Takes a slot of the least loaded shared runner that has a free one and is selected; when there
   * is none, that of an idle warm runner that was started externally.
   */
  public Optional<RunnerConnection> takeSlot(Predicate<RunnerConnection> selected) {
    return byRunner.values().stream()
        .filter(RunnerRegistry::hasRoomForAny)
        .filter(selected)
        .sorted(
            Comparator.comparing(RunnerConnection::mode)
                .thenComparing(Comparator.comparingInt(RunnerConnection::free).reversed()))
        .filter(RunnerConnection::tryTake)
        .findFirst();
  }

  /** Warm runners of launchers are reserved for isolated runs. */
  private static boolean hasRoomForAny(RunnerConnection attached) {
    return attached.hasRoom()
        && switch (attached.mode()) {
          case SHARED -> true;
          case WARM -> attached.isExternal();
          case ISOLATED -> false;
        };
  }

  /** Whether a runner with a free slot for any run is attached here. */
  public boolean hasRoom() {
    return byRunner.values().stream().anyMatch(RunnerRegistry::hasRoomForAny);
  }

  /** The runners attached here now. */
  public List<RunnerConnection> all() {
    return List.copyOf(byRunner.values());
  }

  /** Detaches a runner that is now attached to another replica. */
  void elsewhere(String runner) {
    CompletableFuture<Void> awaited = expected.remove(runner);
    if (awaited != null) {
      awaited.complete(null);
    }
    gone(runner);
  }

  /** Records a message from the runner. */
  void heard(RunnerConnection attached) {
    if (attached.heard()) {
      slots.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** Takes a slot of this runner; returns false when none is free. */
  public boolean takeSlot(RunnerConnection attached) {
    return attached.tryTake();
  }

  /** Whether the run is assigned to the runner. */
  public boolean carries(RunnerConnection attached, String run) {
    return attached.runs().containsKey(run);
  }

  /** Frees a slot, and notifies the waiting launches when none was free before. */
  public void giveBack(RunnerConnection attached) {
    if (attached.giveBack()) {
      slots.fire(new RunnerSlotsFreedEvent());
    }
  }

  /**
   * Assigns the run on a slot that was taken before. Returns false, and sends nothing, when the
   * stream has ended.
   */
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

  /** Registers a run that the runner already carries. Returns false when the stream has ended. */
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

  /**
   * Removes a run; returns whether the runner carried it. Frees its slot and notifies the waiting
   * launches.
   */
  boolean release(RunnerConnection attached, String run, int epoch) {
    synchronized (lock) {
      if (!attached.drop(run, epoch)) {
        return false;
      }
      byRun.remove(run, attached);
    }
    if (attached.mode() == RunnerConnection.Mode.SHARED) { // Other runners end with their run.
      giveBack(attached);
    }
    return true;
  }

  /** Fences the run's runner if it carries an epoch older than this. */
  public void fence(String run, int below) {
    RunnerConnection holder = byRun.get(run);
    Integer epoch = holder == null ? null : holder.runs().get(run);
    if (holder == null || epoch == null || epoch >= below) {
      return;
    }
    // The runner may hang: it gets no run again before it answers.
    holder.doubt();
    release(holder, run, epoch);
    holder.send(
        GatewayMessage.newBuilder()
            .setFenced(Fenced.newBuilder().setRun(run).setEpoch(epoch))
            .build());
  }

  /** Cancels the run at its runner, if that is attached here. */
  public void cancel(String run, String reason) {
    holder(run)
        .ifPresent(
            holder ->
                holder.send(
                    GatewayMessage.newBuilder()
                        .setCancel(Cancel.newBuilder().setRun(run).setReason(reason))
                        .build()));
  }

  /**
   * Pauses the run at its runner, if that is attached here and carries it in this epoch.
   *
   * @param epoch 0: any
   */
  public void pause(String run, int epoch, boolean now) {
    RunnerConnection holder = byRun.get(run);
    Integer carried = holder == null ? null : holder.runs().get(run);
    if (holder != null && carried != null && (epoch == 0 || epoch == carried)) {
      holder.send(pauseMessage(run, carried, now));
    }
  }

  static GatewayMessage pauseMessage(String run, int epoch, boolean now) {
    return GatewayMessage.newBuilder()
        .setPause(Pause.newBuilder().setRun(run).setEpoch(epoch).setNow(now))
        .build();
  }

  /** Sends an answer to the run's runner, if that is attached here. Blocks for the query. */
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
