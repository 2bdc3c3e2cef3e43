/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.protocol.topic.TopicName;
import java.io.IOException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Reads the trace from now on, headers only, as any external program may. An event is visible here
 * only after it was flushed and acknowledged, so a run's end seen here is durable.
 *
 * <p>Thread-safe. Buffers every run's events until they are retrieved, and ignores later ones.
 */
final class RunTraceWatcher implements AutoCloseable {
  private static final String PREFIX = "dev.baton.";
  private static final Set<String> ENDS =
      Set.of("run_completed", "run_failed", "run_cancelled", "run_lost");
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Events of a run that has ended follow its end at once, if at all. */
  private static final int REMEMBERED = 10_000;

  private final KafkaConsumer<String, byte[]> consumer;
  private final Map<String, Watched> runs = new ConcurrentHashMap<>();
  private final Set<String> retrieved =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > REMEMBERED;
                }
              }));
  private final Thread reader;

  private static final class Watched {
    final CompletableFuture<RunTrace> ended = new CompletableFuture<>();
    // Written only by the reader thread.
    final List<Long> stepEnds = new ArrayList<>();
    int records;
    int assignments;
  }

  private RunTraceWatcher(KafkaConsumer<String, byte[]> consumer) {
    this.consumer = consumer;
    this.reader = Thread.ofPlatform().name("trace-watch").daemon().start(this::read);
  }

  /**
   * @throws org.apache.kafka.common.KafkaException when the broker does not respond within 30 s
   */
  static RunTraceWatcher start(String bootstrap) {
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            5_000,
            // Polling for every single event would distort the measurement. An end is seen up to 5
            // ms late, which counts against Baton.
            ConsumerConfig.FETCH_MIN_BYTES_CONFIG,
            64 << 10,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            5);
    return new RunTraceWatcher(TailConsumerFactory.open(bootstrap, TopicName.TRACE, settings));
  }

  /**
   * Waits until the run has ended and returns its trace, once.
   *
   * @throws IOException when it did not end as {@code run_completed} within {@code bound}
   */
  RunTrace completed(String run, Duration bound) throws IOException, InterruptedException {
    try {
      RunTrace trace = watched(run).ended.get(bound.toMillis(), TimeUnit.MILLISECONDS);
      retrieved.add(run);
      runs.remove(run);
      if (!trace.end().equals("run_completed")) {
        throw new IOException("run " + run + " ended as " + trace.end());
      }
      return trace;
    } catch (TimeoutException e) {
      Watched state = watched(run);
      throw new IOException(
          "run " + run + " has not ended within " + bound + "; " + state.records + " events seen",
          e);
    } catch (ExecutionException e) {
      throw new IOException("the trace cannot be read: " + e.getCause(), e);
    }
  }

  /** Returns the number of runs whose events are buffered. */
  int buffered() {
    return runs.size();
  }

  @Override
  public void close() {
    consumer.wakeup();
    try {
      reader.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Watched watched(String run) {
    return runs.computeIfAbsent(run, key -> new Watched());
  }

  private void read() {
    try (consumer) {
      while (true) {
        var records = consumer.poll(POLL);
        long now = System.nanoTime();
        for (ConsumerRecord<String, byte[]> record : records) {
          take(record, now);
        }
      }
    } catch (WakeupException e) {
      // The request to stop.
    } catch (RuntimeException e) {
      runs.values().forEach(run -> run.ended.completeExceptionally(e));
    }
  }

  private void take(ConsumerRecord<String, byte[]> record, long now) {
    String type = TailConsumerFactory.header(record, "ce_type");
    if (record.key() == null
        || type == null
        || !type.startsWith(PREFIX)
        || retrieved.contains(record.key())) {
      return;
    }
    Watched run = watched(record.key());
    run.records++;
    String name = type.substring(PREFIX.length());
    if (name.equals("step_completed")) {
      String time = TailConsumerFactory.header(record, "ce_time");
      if (time != null) {
        run.stepEnds.add(
            ChronoUnit.MICROS.between(
                java.time.Instant.EPOCH, OffsetDateTime.parse(time).toInstant()));
      }
    } else if (name.equals("runner_assigned")) {
      run.assignments++;
    } else if (ENDS.contains(name)) {
      run.ended.complete(
          new RunTrace(run.stepEnds, name, now, run.records, Math.max(0, run.assignments - 1)));
    }
  }
}
