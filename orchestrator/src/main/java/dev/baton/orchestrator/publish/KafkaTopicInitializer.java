/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicRequirements;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.jboss.logging.Logger;

/** Creates and checks the topics before any component reads or writes them. */
@ApplicationScoped
class KafkaTopicInitializer {
  private static final Logger LOG = Logger.getLogger(KafkaTopicInitializer.class);
  private static final int ATTEMPTS = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Admin admin;
  private final TopicRequirements requirements;
  private final String security;

  KafkaTopicInitializer(Admin admin, OrchestratorConfig config) {
    this.admin = admin;
    security = config.kafka().protocol().map(" and baton.kafka.* with "::concat).orElse("");
    this.requirements =
        new TopicRequirements(config.topics().minReplicas(), config.topics().allowUnsafe());
  }

  void onStart(@Observes @Priority(10) StartupEvent event) throws InterruptedException {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int attempt = 1; ; attempt++) {
      try {
        TopicBootstrap.ensure(admin, PATIENCE, requirements).forEach(LOG::warn);
        return;
      } catch (ExecutionException | TimeoutException e) {
        if (attempt == ATTEMPTS) {
          throw new IllegalStateException(
              "Kafka: cannot create the topics within "
                  + PATIENCE.multipliedBy(ATTEMPTS).toSeconds()
                  + " s; check kafka.bootstrap.servers"
                  + security
                  + ": "
                  + e.getMessage(),
              e);
        }
        LOG.warnf("Kafka: not ready, retrying (attempt %d of %d): %s", attempt, ATTEMPTS, e);
        backoff.pause();
      }
    }
  }
}
