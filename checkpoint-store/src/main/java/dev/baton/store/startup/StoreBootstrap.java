/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import dev.baton.protocol.clock.ClockGuard;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicRequirements;
import dev.baton.protocol.topic.UnsafeTopicException;
import dev.baton.server.PostgresDurabilityChecker;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.config.StoreCredentialValidator;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.annotation.Identifier;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jboss.logging.Logger;

/**
 * Waits for Kafka, the object store and Postgres, creates the topics and the bucket, and refuses
 * topics and a Postgres that may lose what they have acknowledged. Runs on the main thread before
 * the messaging channels open, since they subscribe to these topics.
 */
@ApplicationScoped
class StoreBootstrap {
  private static final Logger LOG = Logger.getLogger(StoreBootstrap.class);
  private static final int ATTEMPTS = 30;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(1_500);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Runs before the channels, which open at LIBRARY_BEFORE. */
  private static final int FIRST = 100;

  private final Map<String, Object> kafka;
  private final BucketClient bucket;
  private final Pool pool;
  private final StoreConfig config;
  private final boolean allowUnsafePostgres;
  private final TopicRequirements topics;
  private final Optional<String> security;
  private Optional<String> postgresProblem = Optional.empty();

  StoreBootstrap(
      @Identifier("default-kafka-broker") Map<String, Object> kafka,
      BucketClient bucket,
      Pool pool,
      StoreConfig config) {
    this.pool = pool;
    this.config = config;
    allowUnsafePostgres = config.postgres().allowUnsafe();
    topics = new TopicRequirements(config.topics().minReplicas(), config.topics().allowUnsafe());
    this.kafka = kafka;
    security = config.kafka().protocol();
    this.bucket = bucket;
  }

  void onStart(@Observes @Priority(FIRST) StartupEvent event) throws Exception {
    List<String> problems = StoreCredentialValidator.problems(config);
    if (!problems.isEmpty()) {
      throw new IllegalStateException("configuration: " + String.join("; ", problems));
    }
    ClockGuard.start(LOG::fatal);
    insist("Kafka at " + servers() + security.map(" with "::concat).orElse(""), this::topics);
    insist("the object store at " + bucket.where(), () -> bucket.ensure(PATIENCE));
    objectStore();
    insist("Postgres", this::postgres);
    PostgresDurabilityChecker.enforce(postgresProblem, allowUnsafePostgres).ifPresent(LOG::warn);
  }

  private Object servers() {
    return kafka.getOrDefault(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:9092");
  }

  private void topics() throws Exception {
    try (Admin admin = Admin.create(new HashMap<>(kafka))) {
      TopicBootstrap.ensure(admin, PATIENCE, topics).forEach(LOG::warn);
      sayIfNeverTried(admin);
    }
  }

  private static void sayIfNeverTried(Admin admin) throws Exception {
    var features =
        admin
            .describeFeatures()
            .featureMetadata()
            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .finalizedFeatures();
    var metadata = features.get("metadata.version");
    TestedVersionChecker.kafka(metadata == null ? 0 : metadata.maxVersionLevel())
        .ifPresent(LOG::warn);
  }

  private void objectStore() {
    try {
      bucket
          .missing()
          .forEach(
              what ->
                  LOG.warnf(
                      "the object store at %s lacks features that Baton requires: %s. Stored data may"
                          + " be lost or wrong",
                      bucket.where(), what));
    } catch (StoreRequestException e) {
      LOG.warnf(
          "the object store at %s: could not check the required features: %s",
          bucket.where(), e.getMessage());
    }
  }

  private void postgres() throws Exception {
    for (Row row :
        pool.query("SELECT current_setting('server_version_num')::int AS version")
            .execute()
            .await()
            .atMost(PATIENCE)) {
      TestedVersionChecker.postgres(row.getInteger("version")).ifPresent(LOG::warn);
    }
    postgresProblem =
        PostgresDurabilityChecker.check(pool.getDelegate())
            .toCompletionStage()
            .toCompletableFuture()
            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Repeats an attempt until it succeeds, at most {@value #ATTEMPTS} times; once where TLS fails
   * until a setting or a certificate is corrected.
   */
  private void insist(String what, Attempt attempt) throws Exception {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int i = 1; ; i++) {
      try {
        attempt.run();
        return;
      } catch (InterruptedException | UnsafeTopicException e) {
        throw e;
      } catch (Exception e) {
        if (TlsFailure.of(e).filter(TlsFailure::isLasting).isPresent()) {
          throw new IllegalStateException(
              (e instanceof StoreRequestException ? "" : what + ": ") + FailureTranslator.words(e),
              e);
        }
        if (i == ATTEMPTS) {
          throw new IllegalStateException(
              what + " did not answer in " + i + " attempts: " + FailureTranslator.words(e), e);
        }
        LOG.warnf("%s does not answer (attempt %d of %d): %s", what, i, ATTEMPTS, words(e));
        backoff.pause();
      }
    }
  }

  private static String words(Exception e) {
    Throwable cause = e.getCause();
    return FailureTranslator.words(cause == null || e instanceof StoreRequestException ? e : cause);
  }

  private interface Attempt {
    void run() throws Exception;
  }
}
