/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;

/**
 * Reads pages of dead letters on virtual threads, at most {@value #READERS} at once, each with its
 * own consumer. The dead-letter topics are their only home: they contain what every consumer moved
 * there, also while Postgres was unavailable. Thread-safe.
 */
@ApplicationScoped
class DeadLetterReader {
  private static final Logger LOG = Logger.getLogger(DeadLetterReader.class);
  private static final int READERS = 4;

  private final Map<String, Object> kafka;
  private final Semaphore readers = new Semaphore(READERS);

  DeadLetterReader(@Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.kafka = kafka;
  }

  /**
   * Reads a page; takes at most about 15 s.
   *
   * @return fails with a problem when the brokers do not answer, or too many pages are being read
   */
  Uni<DeadLetterMerger.Page> read(DeadLetterQuery query) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              if (!readers.tryAcquire()) {
                emitter.fail(
                    new ProblemException(
                        ProblemKind.BUSY,
                        READERS + " pages of dead letters are being read; try again in a moment"));
                return;
              }
              Thread.ofVirtual().name("dead-letters").start(() -> read(query, emitter));
            });
  }

  /** Completes the emitter after the release: a client that reads page after page is never busy. */
  private void read(DeadLetterQuery query, UniEmitter<? super DeadLetterMerger.Page> emitter) {
    DeadLetterMerger.Page page;
    try {
      page = page(query);
    } catch (RuntimeException e) {
      emitter.fail(e);
      return;
    } finally {
      readers.release();
    }
    emitter.complete(page);
  }

  private DeadLetterMerger.Page page(DeadLetterQuery query) {
    try (DeadLetterConsumer consumer = new DeadLetterConsumer(kafka)) {
      return new DeadLetterMerger(consumer, query).page();
    } catch (KafkaException e) {
      LOG.warnf("dead letters: read failed: %s", e);
      throw new ProblemException(
          ProblemKind.UNAVAILABLE, "cannot read the dead-letter topics: " + e.getMessage());
    }
  }
}
