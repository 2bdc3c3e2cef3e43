/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.topic.TopicName;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkBatchDecoder;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Measures batch writes. Not in the suite: run it with {@code -Dtest=TraceRepositoryBench}. */
@QuarkusTest
class TraceRepositoryBench extends StoreTest {
  private static final int BATCHES = 500;

  @Inject TraceRepository writer;
  @Inject TracePositionRepository positions;
  @Inject Pool pool;
  private int partition = 2_000;

  @Test
  void measure() throws IOException {
    for (int round = 0; round < 3; round++) {
      for (int events : new int[] {1, 50, 500}) {
        measure(events, round > 0);
      }
    }
  }

  private void measure(int events, boolean report) throws IOException {
    partition++;
    positions.read(Set.of(partition)).await().indefinitely();
    int many = events == 500 ? BATCHES / 5 : BATCHES;
    List<SinkBatch> batches = batches(many, events);
    long cpu = postgres();
    long own = own();
    long start = System.nanoTime();
    long position = 0;
    for (SinkBatch batch : batches) {
      writer.write(batch, Map.of(partition, position)).await().indefinitely();
      position += events;
    }
    if (report) {
      System.out.printf(
          "batch of %d events: %d us, Postgres %d us of processor, store %d us%n",
          events,
          (System.nanoTime() - start) / 1000 / many,
          (postgres() - cpu) / many,
          (own() - own) / many);
    }
  }

  /** Every tenth event has a cut. */
  private List<SinkBatch> batches(int many, int events) {
    TraceBuilder trace = new TraceBuilder();
    List<SinkBatch> batches = new ArrayList<>();
    long offset = 0;
    for (int b = 0; b < many; b++) {
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      for (int i = 0; i < events; i++) {
        ProducerRecord<String, byte[]> record =
            trace.completed(1, "step", i % 10 == 5 ? TraceBuilder.cut("a") : null);
        ConsumerRecord<byte[], byte[]> read =
            new ConsumerRecord<>(
                TopicName.TRACE, partition, offset++, record.key().getBytes(UTF_8), record.value());
        record.headers().forEach(read.headers()::add);
        records.add(read);
      }
      batches.add(SinkBatchDecoder.decode(records, Map.of()));
    }
    return batches;
  }

  private static long own() throws IOException {
    return ticks(ProcessHandle.current().pid());
  }

  private long postgres() {
    long pid =
        pool.query("SELECT pg_backend_pid()")
            .execute()
            .await()
            .atMost(Duration.ofSeconds(5))
            .iterator()
            .next()
            .getInteger(0);
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow().parent().orElseThrow();
    return postmaster
        .children()
        .mapToLong(
            child -> {
              try {
                return ticks(child.pid());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .sum();
  }

  /** Microseconds of processor time. */
  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000;
  }
}
