/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Which runners are attached to this replica and what they carry. Thread-safe. */
@ApplicationScoped
public class Attachments {
  private static final Duration SQL = Duration.ofSeconds(10);

  private final RunContexts contexts;
  private final ConcurrentMap<String, Attached> byRunner = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Attached> byRun = new ConcurrentHashMap<>();

  Attachments(RunContexts contexts) {
    this.contexts = contexts;
  }

  void add(Attached attached) {
    byRunner.put(attached.runner(), attached);
  }

  void remove(Attached attached) {
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

  /** Takes a slot of the least loaded runner that has one. */
  public Optional<Attached> takeSlot() {
    return byRunner.values().stream()
        .filter(attached -> attached.free() > 0)
        .sorted(Comparator.comparingInt(Attached::free).reversed())
        .filter(Attached::tryTake)
        .findFirst();
  }

  /** Gives a slot back that was taken for nothing. */
  public void giveBack(Attached attached) {
    attached.giveBack();
  }

  /** Hands the run over, on a slot that was taken. */
  public void assign(Attached attached, Assign assign) {
    attached.hold(assign.getRun(), assign.getEpoch());
    byRun.put(assign.getRun(), attached);
    attached.send(GatewayMessage.newBuilder().setAssign(assign).build());
  }

  /** The runner carries this run already. */
  void adopt(Attached attached, String run, int epoch) {
    attached.adopt(run, epoch);
    byRun.put(run, attached);
  }

  /** Whether it was held. */
  boolean release(Attached attached, String run, int epoch) {
    boolean held = attached.drop(run, epoch);
    if (held) {
      byRun.remove(run, attached);
    }
    return held;
  }

  /** Tells the run's runner that an older epoch than this is over. */
  public void fence(String run, int below) {
    Attached holder = byRun.get(run);
    Integer epoch = holder == null ? null : holder.runs().get(run);
    if (holder == null || epoch == null || epoch >= below) {
      return;
    }
    release(holder, run, epoch);
    holder.send(
        GatewayMessage.newBuilder()
            .setFenced(Fenced.newBuilder().setRun(run).setEpoch(epoch))
            .build());
  }

  /** Tells the run's runner to stop; false when none is attached here. */
  public boolean cancel(String run, String reason) {
    return holder(run)
        .map(
            holder -> {
              holder.send(
                  GatewayMessage.newBuilder()
                      .setCancel(Cancel.newBuilder().setRun(run).setReason(reason))
                      .build());
              return true;
            })
        .orElse(false);
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
