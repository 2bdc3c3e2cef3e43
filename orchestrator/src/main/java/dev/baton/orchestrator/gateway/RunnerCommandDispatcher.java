/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaBusReconnectedEvent;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.protocol.json.TextShortener;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Sends commands to runners attached to any replica: to runners attached here directly, and to all
 * other replicas by a notification, since a stream that is open here may be dead. The database has
 * the state behind every command first, so that a replica that missed the notification sends it
 * after its reconnect, and an unattached runner receives it when it attaches.
 */
@ApplicationScoped
public class RunnerCommandDispatcher {
  private static final Logger LOG = Logger.getLogger(RunnerCommandDispatcher.class);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(2);
  private static final int RETRIES = 5;
  private static final Duration SQL = Duration.ofSeconds(10);

  /** Characters; at most six bytes each. */
  private static final int MOST_REASON = 1_000;

  private final RunnerRegistry attachments;
  private final AttachReconciler welcome;
  private final ReplicaBus bus;
  private final Event<RunnerSlotsFreedEvent> slots;

  RunnerCommandDispatcher(
      RunnerRegistry attachments,
      AttachReconciler welcome,
      ReplicaBus bus,
      Event<RunnerSlotsFreedEvent> slots) {
    this.attachments = attachments;
    this.welcome = welcome;
    this.bus = bus;
    this.slots = slots;
  }

  /** Sends an approval's answer. Blocks. */
  public void deliver(String run, String approval) {
    attachments.deliver(run, approval);
    tell(new ReplicaMessage.Deliver(run, approval));
  }

  /** Requests a pause of this epoch; 0: of the present one. Blocks. */
  public void pause(String run, int epoch, boolean now) {
    attachments.pause(run, epoch, now);
    tell(new ReplicaMessage.Pause(run, epoch, now));
  }

  /** Requests a cancellation. Blocks. */
  public void cancel(String run, String reason) {
    attachments.cancel(run, reason);
    // Other replicas receive only the beginning of a long reason: a notification is small.
    tell(new ReplicaMessage.Cancel(run, TextShortener.truncate(reason, MOST_REASON)));
  }

  /** Notifies all replicas that older epochs of these runs are fenced. Blocks. */
  public void fence(Map<String, Integer> below) {
    below.forEach(attachments::fence);
    Map<String, Integer> some = new HashMap<>();
    below.forEach(
        (run, epoch) -> {
          some.put(run, epoch);
          if (some.size() == ReplicaMessage.Fence.MOST_RUNS) {
            tell(new ReplicaMessage.Fence(some));
            some.clear();
          }
        });
    if (!some.isEmpty()) {
      tell(new ReplicaMessage.Fence(some));
    }
  }

  private void tell(ReplicaMessage message) {
    bus.tell(message).await().atMost(SQL);
  }

  /** Handles a message of another replica, on a thread that may block. */
  void on(@Observes ReplicaMessage message) {
    switch (message) {
      case ReplicaMessage.Deliver(String run, String approval) ->
          attachments.deliver(run, approval);
      case ReplicaMessage.Pause(String run, int epoch, boolean now) ->
          attachments.pause(run, epoch, now);
      case ReplicaMessage.Cancel(String run, String reason) -> attachments.cancel(run, reason);
      case ReplicaMessage.Fence(Map<String, Integer> below) -> below.forEach(attachments::fence);
      case ReplicaMessage.SlotWanted() -> {
        if (attachments.hasRoom()) {
          slots.fire(new RunnerSlotsFreedEvent());
        }
      }
      case ReplicaMessage.Recheck(String runner) ->
          attachments.runner(runner).ifPresent(this::lookAgain);
      case ReplicaMessage.WhoHas(String runner) -> {
        if (attachments.runner(runner).isPresent()) {
          tell(new ReplicaMessage.Has(runner));
        }
      }
      case ReplicaMessage.Has(String runner) -> attachments.elsewhere(runner);
      case ReplicaMessage.Checkpoint _,
          ReplicaMessage.CheckpointTaken _,
          ReplicaMessage.CheckpointRefused _,
          ReplicaMessage.TerminalWanted _,
          ReplicaMessage.TerminalAt _,
          ReplicaMessage.StopIdle _,
          ReplicaMessage.RunnerPoolsChanged _ -> {}
    }
  }

  /** The database has everything that this replica missed while it was disconnected. */
  void on(@Observes ReplicaBusReconnectedEvent event) {
    attachments.all().forEach(this::lookAgain);
  }

  private void lookAgain(RunnerConnection runner) {
    Uni<Void> looked = welcome.again(runner);
    looked
        .onFailure()
        .retry()
        .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
        .atMost(RETRIES)
        .subscribe()
        .with(
            done -> {},
            failure -> {
              // When it attaches again, it is reconciled from the start.
              LOG.warnf("runner %s: reconcile failed, detached: %s", runner.runner(), failure);
              attachments.remove(runner);
              runner.end();
            });
  }
}
