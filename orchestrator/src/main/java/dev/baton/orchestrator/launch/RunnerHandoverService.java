/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerLeavingEvent;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.HandOver;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Hands over the runs of runners that announce their end. First it prepares the successor of each
 * run, then it requests each run; the runner saves it, releases it and publishes the signal itself,
 * and an ordinary failover follows. If this process dies in between, the runner continues with the
 * handover after a timeout, and the successor starts later.
 */
@ApplicationScoped
class RunnerHandoverService {
  private static final Logger LOG = Logger.getLogger(RunnerHandoverService.class);

  /** Less than the 8 s that a runner waits for the request. */
  private static final Duration READY_WITHIN = Duration.ofSeconds(6);

  private final RunnerRegistry attachments;
  private final SharedRunnerPool pool;
  private final WarmRunnerPool warm;

  /** Notified when a runner has a free slot. */
  private final Object room = new Object();

  private volatile boolean stopping;

  RunnerHandoverService(RunnerRegistry attachments, SharedRunnerPool pool, WarmRunnerPool warm) {
    this.attachments = attachments;
    this.pool = pool;
    this.warm = warm;
  }

  /** Stops preparing successors and requests the runs of these runners at once. */
  void stop(Set<String> runners) {
    stopping = true;
    tellRoom();
    runners.forEach(runner -> attachments.runner(runner).ifPresent(this::ask));
  }

  void onLeaving(@Observes RunnerLeavingEvent leaving) {
    RunnerConnection runner = leaving.runner();
    Thread.ofVirtual().name("leaving-" + runner.runner()).start(() -> handOver(runner));
  }

  private void handOver(RunnerConnection runner) {
    Map<String, Integer> runs = Map.copyOf(runner.runs());
    LOG.infof("runner %s is leaving, with %d runs", runner.runner(), runs.size());
    if (!stopping) {
      try {
        prepare(runner, runs);
      } catch (RuntimeException e) {
        LOG.warnf("runner %s: no successor is ready: %s", runner.runner(), e);
      }
    }
    ask(runner);
  }

  private void ask(RunnerConnection runner) {
    boolean atOnce = stopping;
    Map.copyOf(runner.runs())
        .forEach(
            (run, epoch) ->
                runner.send(
                    GatewayMessage.newBuilder()
                        .setHandOver(
                            HandOver.newBuilder().setRun(run).setEpoch(epoch).setAtOnce(atOnce))
                        .build()));
  }

  private void prepare(RunnerConnection runner, Map<String, Integer> runs) {
    switch (runner.mode()) {
      case SHARED -> {
        pool.replace(runner.runner());
        if (!runs.isEmpty()) {
          awaitRoom();
        }
      }
      case WARM, ISOLATED -> {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
          runs.keySet()
              .forEach(run -> threads.execute(() -> warm.reserve(run, runner, READY_WITHIN)));
        }
      }
    }
  }

  void onRoom(@Observes RunnerSlotsFreedEvent event) {
    tellRoom();
  }

  private void tellRoom() {
    synchronized (room) {
      room.notifyAll();
    }
  }

  private void awaitRoom() {
    long end = System.nanoTime() + READY_WITHIN.toNanos();
    synchronized (room) {
      long left = READY_WITHIN.toMillis();
      while (!stopping && !attachments.hasRoom() && left > 0) {
        try {
          room.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      }
    }
  }
}
