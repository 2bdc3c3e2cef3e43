/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import com.fasterxml.jackson.core.JacksonException;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.projection.CatchUp;
import dev.baton.orchestrator.runs.RunQueries;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.Topics;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's log back with a consumer of its own on a virtual thread, at most 16 at once. A slow
 * caller slows its own reading down and nothing else.
 */
@ApplicationScoped
class LogReader {
  private static final int READERS = 16;
  private static final int AHEAD = 2_000;
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration METADATA = Duration.ofSeconds(10);
  // Clocks of runners and brokers may differ a little.
  private static final Duration EARLIER = Duration.ofMinutes(1);
  private static final Duration END_CHECK = Duration.ofSeconds(1);

  private final String bootstrap;
  private final RunQueries runs;
  private final Semaphore readers = new Semaphore(READERS);

  LogReader(@ConfigProperty(name = "kafka.bootstrap.servers") String bootstrap, RunQueries runs) {
    this.bootstrap = bootstrap;
    this.runs = runs;
  }

  /**
   * The run's lines from its beginning; with {@code follow} until it has ended.
   *
   * @return fails with a problem when too many are being read
   */
  Multi<LogLine> read(RunView run, @Nullable String step, boolean follow) {
    Room room = new Room();
    return Multi.createFrom()
        .<LogLine>emitter(
            out -> {
              if (!readers.tryAcquire()) {
                out.fail(
                    new ProblemException(
                        ProblemKind.BUSY, READERS + " logs are being read; try again in a moment"));
                return;
              }
              Reading reading = new Reading(run, step, follow, out, room);
              out.onTermination(reading::stop);
              Thread.ofVirtual().name("logs-" + run.id()).start(reading);
            })
        .onRequest()
        .invoke(room::add);
  }

  /**
   * How many lines may still be read ahead of the caller. A response asks for one at a time, so
   * what it has asked for at this moment says nothing; what it has asked for in all does.
   */
  private static final class Room {
    private static final int UNBOUNDED = Integer.MAX_VALUE / 4;
    private static final long LOOK_MS = 100;

    private final Semaphore lines = new Semaphore(AHEAD);
    private volatile boolean unbounded;

    void add(long requested) {
      if (requested > UNBOUNDED) {
        unbounded = true;
      } else {
        lines.release((int) requested);
      }
    }

    /** Takes a place; false when there was none for a moment. */
    boolean take() throws InterruptedException {
      return unbounded || lines.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private final class Reading implements Runnable {
    private final RunView run;
    private final @Nullable String step;
    private final boolean follow;
    private final MultiEmitter<? super LogLine> out;
    private final Room room;
    private volatile boolean stopped;

    Reading(
        RunView run,
        @Nullable String step,
        boolean follow,
        MultiEmitter<? super LogLine> out,
        Room room) {
      this.run = run;
      this.step = step;
      this.follow = follow;
      this.out = out;
      this.room = room;
    }

    void stop() {
      stopped = true;
    }

    @Override
    public void run() {
      try (Consumer<String, byte[]> consumer = consumer()) {
        readAll(consumer);
        out.complete();
      } catch (RuntimeException e) {
        out.fail(
            new ProblemException(
                ProblemKind.UNAVAILABLE, "the log cannot be read: " + e.getMessage()));
      } finally {
        readers.release();
      }
    }

    private void readAll(Consumer<String, byte[]> consumer) {
      TopicPartition partition = seek(consumer);
      long end = end(consumer, partition);
      boolean last = !follow;
      long checkAt = System.nanoTime();
      while (!stopped) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
          emit(record);
        }
        boolean drained = consumer.position(partition) >= end;
        if (drained && last) {
          return;
        }
        if (drained && System.nanoTime() >= checkAt) {
          checkAt = System.nanoTime() + END_CHECK.toNanos();
          last = hasEnded();
          // Whatever was written until the run's end is still wanted.
          end = end(consumer, partition);
        }
      }
    }

    private TopicPartition seek(Consumer<String, byte[]> consumer) {
      int partitions = consumer.partitionsFor(Topics.LOGS, METADATA).size();
      TopicPartition partition =
          new TopicPartition(Topics.LOGS, CatchUp.partition(run.id(), partitions));
      consumer.assign(List.of(partition));
      Instant from = run.createdAt().minus(EARLIER);
      OffsetAndTimestamp first =
          consumer.offsetsForTimes(Map.of(partition, from.toEpochMilli()), METADATA).get(partition);
      if (first == null) {
        consumer.seekToEnd(List.of(partition));
      } else {
        consumer.seek(partition, first.offset());
      }
      return partition;
    }

    private long end(Consumer<String, byte[]> consumer, TopicPartition partition) {
      return consumer.endOffsets(List.of(partition), METADATA).getOrDefault(partition, 0L);
    }

    private boolean hasEnded() {
      String status = runs.get(run.id()).await().atMost(METADATA).status();
      return RunStatus.valueOf(status.toUpperCase(Locale.ROOT)).isTerminal();
    }

    /** Waits while the caller is slow. Does nothing once it has gone. */
    private void give(LogLine line) {
      try {
        while (!stopped) {
          if (room.take()) {
            out.emit(line);
            return;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        stopped = true;
      }
    }

    private void emit(ConsumerRecord<String, byte[]> record) {
      if (!run.id().equals(record.key()) || record.value() == null) {
        return;
      }
      try {
        LogLine line = Json.mapper().readValue(record.value(), LogLine.class);
        if (step == null || step.equals(line.step())) {
          give(line);
        }
      } catch (JacksonException notALine) {
        // Another program's; a log is for people, and they are told.
        give(new LogLine("", 0, 0, "stderr", null, "[a record of the log cannot be read]"));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  private Consumer<String, byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            CommittedRecordsReader.READ_COMMITTED,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            AHEAD / 2,
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
            1024 * 1024,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            200),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }
}
