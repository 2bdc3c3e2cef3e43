/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.outbox.SlotsFreed;
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
public class Attachments {
  private static final Duration SQL = Duration.ofSeconds(10);

  private final RunContexts contexts;
  private final ConcurrentMap<String, Attached> byRunner = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Attached> byRun = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, CompletableFuture<Void>> expected = new ConcurrentHashMap<>();
  private final Event<SlotsFreed> slots;

  Attachments(RunContexts contexts, Event<SlotsFreed> slots) {
    this.slots = slots;
    this.contexts = contexts;
  }

  // A dead stream must not come after the living one of the same runner: what a stream gets and its
  // end exclude each other.
  private final Object lock = new Object();

  /** False when the stream has ended meanwhile. */
  boolean add(Attached attached) {
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

  void remove(Attached attached) {
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
    Attached attached = byRunner.get(runner);
    if (attached != null) {
      remove(attached);
      attached.end();
    }
  }

  private void forget(Attached attached) {
    byRunner.remove(attached.runner(), attached);
    attached.runs().keySet().forEach(run -> byRun.remove(run, attached));
  }

  public Optional<Attached> runner(String id) {
    return Optional.ofNullable(byRunner.get(id));
  }

  /** Who carries the run, as far as this replica knows. */
  public Optional<Attached> holder(String run) {
    return Optional.ofNullable(byRun.get(run));
  }

  /** Takes the only slot of an idle runner that serves one run, whichever. */
  public Optional<Attached> takeWarm() {
    return byRunner.values().stream()
        .filter(attached -> attached.mode() == Attached.Mode.WARM && attached.hasRoom())
        .filter(Attached::tryTake)
        .findFirst();
  }

  /** Takes a slot of the least loaded shared runner that has one. */
  public Optional<Attached> takeSlot() {
    return byRunner.values().stream()
        .filter(Attachments::isSharedWithRoom)
        .sorted(Comparator.comparingInt(Attached::free).reversed())
        .filter(Attached::tryTake)
        .findFirst();
  }

  private static boolean isSharedWithRoom(Attached attached) {
    return attached.mode() == Attached.Mode.SHARED && attached.hasRoom();
  }

  /** Whether a shared runner is attached here that could take a run. */
  public boolean hasRoom() {
    return byRunner.values().stream().anyMatch(Attachments::isSharedWithRoom);
  }

  /** The runners that are attached here now. */
  List<Attached> all() {
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
  void heard(Attached attached) {
    if (attached.heard()) {
      slots.fire(new SlotsFreed());
    }
  }

  /** Takes a slot of this runner; false when it has none. */
  public boolean takeSlot(Attached attached) {
    return attached.tryTake();
  }

  /** Whether the runner has been given the run. */
  public boolean carries(Attached attached, String run) {
    return attached.runs().containsKey(run);
  }

  /** Gives a slot back, and tells whoever waits for one where there was none. */
  public void giveBack(Attached attached) {
    if (attached.giveBack()) {
      slots.fire(new SlotsFreed());
    }
  }

  /** Hands the run over, on a slot that was taken. False when the stream has ended: not sent. */
  public boolean assign(Attached attached, Assign assign) {
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
  boolean adopt(Attached attached, String run, int epoch) {
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
  boolean release(Attached attached, String run, int epoch) {
    synchronized (lock) {
      if (!attached.drop(run, epoch)) {
        return false;
      }
      byRun.remove(run, attached);
    }
    if (attached.mode() == Attached.Mode.SHARED) { // Others end with their run.
      giveBack(attached);
    }
    return true;
  }

  /** Tells the run's runner that an older epoch than this is over. */
  public void fence(String run, int below) {
    Attached holder = byRun.get(run);
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
