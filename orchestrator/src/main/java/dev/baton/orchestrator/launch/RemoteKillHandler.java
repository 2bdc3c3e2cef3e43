/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.orchestrator.scheduling.DelayedTask;
import dev.baton.protocol.retry.Backoff;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Kills processes of this host that another replica has fenced: the replica that handles a failover
 * may not be on the host of the old runner.
 */
@ApplicationScoped
class RemoteKillHandler {
  private static final Logger LOG = Logger.getLogger(RemoteKillHandler.class);

  private static final int ATTEMPTS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final RunnerStopper stopper;

  RemoteKillHandler(RunnerStopper stopper) {
    this.stopper = stopper;
  }

  void on(@Observes ReplicaMessage message) {
    if (message instanceof ReplicaMessage.Fence(Map<String, Integer> below)) {
      kill(below, 1, Duration.ZERO);
    }
  }

  private void kill(Map<String, Integer> below, int attempt, Duration delay) {
    DelayedTask.run(
        "remote-kill",
        delay,
        () -> {
          if (!isDone(below, attempt) && attempt < ATTEMPTS) {
            kill(below, attempt + 1, Backoff.delay(FIRST_PAUSE, LONGEST_PAUSE, attempt));
          }
        });
  }

  /** Processes that cannot be killed are still fenced. */
  private boolean isDone(Map<String, Integer> below, int attempt) {
    try {
      return stopper.killHere(below, PATIENCE, run -> {}).isEmpty();
    } catch (RuntimeException e) {
      LOG.warnf(
          "older epochs of runs %s cannot be searched (attempt %d of %d): %s",
          below.keySet(), attempt, ATTEMPTS, e);
      return false;
    }
  }
}
