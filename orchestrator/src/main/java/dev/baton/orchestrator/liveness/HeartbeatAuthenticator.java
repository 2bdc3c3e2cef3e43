/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict;
import dev.baton.protocol.heartbeat.Heartbeat;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Verifies the leases of heartbeats. Thread-safe; never blocks. */
@ApplicationScoped
class HeartbeatAuthenticator {
  private static final Logger LOG = Logger.getLogger(HeartbeatAuthenticator.class);

  /** How often keys are fetched at most, since every writer of the topic can name unknown ones. */
  private static final long FETCH_NANOS = Duration.ofSeconds(1).toNanos();

  private final LeaseAuthenticator leases;
  private final AtomicLong fetched = new AtomicLong(System.nanoTime() - FETCH_NANOS);

  HeartbeatAuthenticator(LeaseAuthenticator leases) {
    this.leases = leases;
  }

  /**
   * Returns whether the lease proves that the heartbeat comes from the holder of its run and epoch.
   * False without a lease, and for one whose key is being fetched: a later heartbeat will prove it.
   *
   * @throws IllegalArgumentException if the lease is invalid, or missing although leases are
   *     required; the message is the reason for the dead letter
   */
  boolean isAttested(@Nullable String lease, Heartbeat heartbeat) {
    return switch (leases.check(lease, heartbeat.run(), heartbeat.epoch())) {
      case LeaseVerdict.Granted granted -> true;
      case LeaseVerdict.NotAsked notAsked -> false;
      case LeaseVerdict.Refused refusal
          when refusal.reason() == LeaseVerdict.Reason.UNKNOWN_KEY && lease != null -> {
        fetchKeys(lease);
        yield false;
      }
      case LeaseVerdict.Refused refusal -> {
        leases.refused("heartbeat of epoch " + heartbeat.epoch(), heartbeat.run(), refusal);
        throw new IllegalArgumentException(
            "%s/%d: %s".formatted(heartbeat.run(), heartbeat.epoch(), refusal.message()));
      }
    };
  }

  private void fetchKeys(String lease) {
    long last = fetched.get();
    long now = System.nanoTime();
    if (now - last < FETCH_NANOS || !fetched.compareAndSet(last, now)) {
      return;
    }
    leases
        .learn(Set.of(lease))
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .subscribe()
        .with(
            done -> {},
            failure -> LOG.debugf("lease keys: not fetched for a heartbeat: %s", failure));
  }
}
