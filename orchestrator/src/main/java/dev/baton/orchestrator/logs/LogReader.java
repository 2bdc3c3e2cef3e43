/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.orchestrator.topics.TopicSizeWatcher;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Multi;
import io.vertx.core.buffer.Buffer;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Reads runs' logs on virtual threads, at most 16 at once. A slow caller only slows its own reader;
 * one that has stalled loses it when another caller needs it.
 */
@ApplicationScoped
class LogReader {
  private static final int READERS = 16;
  private static final long EVICTION_MS = 2_000;

  private final Map<String, Object> kafka;
  private final TopicSizeWatcher sizes;
  private final RunQueryService runs;
  private final StoredLogClient stored;
  private final Semaphore readers = new Semaphore(READERS);
  private final Set<LogResponseWriter> active = ConcurrentHashMap.newKeySet();

  LogReader(
      @Identifier("default-kafka-broker") Map<String, Object> kafka,
      TopicSizeWatcher sizes,
      RunQueryService runs,
      StoredLogClient stored) {
    this.kafka = kafka;
    this.sizes = sizes;
    this.runs = runs;
    this.stored = stored;
  }

  /**
   * Returns the requested lines as JSON objects, many per item.
   *
   * @return fails with a problem when too many logs are being read
   */
  Multi<Buffer> read(RunView run, LogRequest request) {
    LogResponseWriter output = new LogResponseWriter();
    return Multi.createFrom()
        .<Buffer>emitter(
            out -> {
              boolean acquired = readers.tryAcquire();
              if (!acquired && active.stream().noneMatch(LogResponseWriter::evictIfStalled)) {
                out.fail(busy());
                return;
              }
              out.onTermination(output::stop);
              LogReadSession reading =
                  new LogReadSession(kafka, sizes, runs, stored, run, request, out, output);
              Thread.ofVirtual()
                  .name("logs-" + run.id())
                  .start(
                      () -> {
                        if (acquired || isEvicted()) {
                          active.add(output);
                          try {
                            reading.run();
                          } finally {
                            active.remove(output);
                            readers.release();
                          }
                        } else {
                          out.fail(busy());
                        }
                      });
            })
        .onRequest()
        .invoke(output::requested);
  }

  /** Waits for the reader of the caller that was evicted. */
  private boolean isEvicted() {
    try {
      return readers.tryAcquire(EVICTION_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static ProblemException busy() {
    return new ProblemException(
        ProblemKind.BUSY, READERS + " logs are being read; try again in a moment");
  }
}
