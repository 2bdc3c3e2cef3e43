/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.launch.RunnerStopper;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jboss.logging.Logger;

/**
 * Runs a failover once at startup for a run that cannot exist, so that class loading and topic
 * metadata do not delay the first real failover, where milliseconds count. Writes and sends
 * nothing.
 */
@ApplicationScoped
class FailoverWarmup {
  private static final Logger LOG = Logger.getLogger(FailoverWarmup.class);
  private static final String NOBODY = "0".repeat(26);
  private static final int LEASES = 16;
  private static final Duration SQL = Duration.ofSeconds(10);

  private final FailoverService failover;
  private final KafkaEventPublisher publisher;
  private final RunnerStopper stopper;
  private final LeaseSigner leases;

  FailoverWarmup(
      FailoverService failover,
      KafkaEventPublisher publisher,
      RunnerStopper stopper,
      LeaseSigner leases) {
    this.failover = failover;
    this.publisher = publisher;
    this.stopper = stopper;
    this.leases = leases;
  }

  void onStart(@Observes @Priority(4000) StartupEvent event) {
    Thread.ofVirtual().name("rehearsal").start(this::rehearse);
  }

  private void rehearse() {
    try {
      publisher.connect();
      ProducerRecord<String, byte[]> record =
          JsonEventCodec.encode(
              publisher.source(), new RunnerSignal.RunnerExited(NOBODY, 1, "rehearsal", null));
      RunnerSignal signal =
          JsonEventCodec.signal(record.headers(), Objects.requireNonNull(record.value()))
              .orElseThrow();
      failover.tryHandle(signal, Duration.ZERO).await().atMost(SQL);
      stopper.kill(Map.of(NOBODY, 1)).values().forEach(CompletableFuture::join);
      for (int i = 0; i < LEASES; i++) {
        leases.mint(NOBODY, 1, "default");
      }
    } catch (RuntimeException e) {
      LOG.debugf("failover warm-up failed, the first failover will be slower: %s", e);
    }
  }
}
