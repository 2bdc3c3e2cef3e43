/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.replicas.ReplicaMessage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Kills on this host what another replica says is over: the one that does a failover need not be
 * the one that can reach the old runner.
 */
@ApplicationScoped
class RemoteKills {
  private static final Logger LOG = Logger.getLogger(RemoteKills.class);

  private static final int ATTEMPTS = 4;
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final Stopper stopper;

  RemoteKills(Stopper stopper) {
    this.stopper = stopper;
  }

  void on(@Observes ReplicaMessage message) {
    if (message instanceof ReplicaMessage.Fence(Map<String, Integer> below)) {
      Thread.ofVirtual().name("remote-kill").start(() -> kill(below));
    }
  }

  /** What cannot be killed is fenced all the same. */
  private void kill(Map<String, Integer> below) {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        Set<String> left = stopper.killHere(below);
        if (left.isEmpty()) {
          return;
        }
        LOG.errorf(
            "older epochs of runs %s still have processes on this host; they are fenced", left);
      } catch (RuntimeException e) {
        LOG.warnf(
            "older epochs of runs %s could not be looked for (attempt %d of %d): %s",
            below.keySet(), attempt, ATTEMPTS, e);
      }
      try {
        Thread.sleep(PAUSE.multipliedBy(attempt));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
