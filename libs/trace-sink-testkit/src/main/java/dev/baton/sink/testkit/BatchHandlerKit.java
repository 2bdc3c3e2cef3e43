/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.sink.BatchHandler;
import dev.baton.sink.PositionStore;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkBatchDecoder;
import dev.baton.sink.SinkRecord;
import io.smallrye.mutiny.Uni;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Checks that a {@link BatchHandler} applies each record once and advances the positions in the
 * same transaction. Each check uses partitions of its own, which the handler's database must not
 * have seen, and throws an {@link AssertionError} that names what differs.
 */
public final class BatchHandlerKit {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final URI SOURCE = URI.create("/test/kit");

  /** Steps of the run of a check. */
  private static final int STEPS = 4;

  private final BatchHandler handler;
  private final PositionStore positions;
  private final ToLongFunction<String> applied;
  private int partition;

  /**
   * @param applied returns the number of completed steps that the database has of a run; 0 for an
   *     unknown run
   * @param partition the first of four partitions that no other test uses
   */
  public BatchHandlerKit(
      BatchHandler handler,
      PositionStore positions,
      ToLongFunction<String> applied,
      int partition) {
    this.handler = handler;
    this.positions = positions;
    this.applied = applied;
    this.partition = partition;
  }

  /** A batch whose commit was not confirmed is applied a second time: it must change nothing. */
  public void appliesARepeatedBatchOnce() {
    int number = next();
    String run = RunId.next();
    SinkBatch batch = batch(number, run);

    assertThat(apply(batch, Map.of(number, 0L))).isEqualTo(BatchHandler.Outcome.APPLIED);
    assertThat(apply(batch, Map.of(number, 0L))).isEqualTo(BatchHandler.Outcome.MOVED);

    assertThat(position(number)).isEqualTo(STEPS + 2);
    assertThat(applied.applyAsLong(run)).isEqualTo(STEPS);
  }

  /** A batch is cut around a record that is refused: its parts must add up to the whole. */
  public void appliesACutBatchInParts() {
    int number = next();
    String run = RunId.next();
    SinkBatch batch = batch(number, run);
    SinkBatch head = batch.head(3);

    assertThat(apply(head, Map.of(number, 0L))).isEqualTo(BatchHandler.Outcome.APPLIED);
    assertThat(position(number)).isEqualTo(3);
    assertThat(applied.applyAsLong(run)).isEqualTo(1);
    assertThat(apply(batch.from(head.next()), head.next())).isEqualTo(BatchHandler.Outcome.APPLIED);

    assertThat(position(number)).isEqualTo(STEPS + 2);
    assertThat(applied.applyAsLong(run)).isEqualTo(STEPS);
  }

  /** Another consumer advances one of two partitions: the batch must change neither. */
  public void appliesNothingOfABatchWhosePositionMoved() {
    int mine = next();
    int taken = next();
    String run = RunId.next();
    String other = RunId.next();
    SinkBatch ofMine = batch(mine, run);
    SinkBatch ofTaken = batch(taken, other);
    List<SinkRecord> records = new ArrayList<>(ofMine.records());
    records.addAll(ofTaken.records());
    SinkBatch both =
        new SinkBatch(
            records,
            List.of(),
            Map.of(mine, ofMine.spans().get(mine), taken, ofTaken.spans().get(taken)));

    assertThat(apply(ofTaken.head(3), Map.of(taken, 0L))).isEqualTo(BatchHandler.Outcome.APPLIED);
    assertThat(apply(both, Map.of(mine, 0L, taken, 0L))).isEqualTo(BatchHandler.Outcome.MOVED);
    assertThat(position(mine)).isZero();
    assertThat(position(taken)).isEqualTo(3);
    assertThat(applied.applyAsLong(run)).isZero();
    Map<Integer, Long> actual = Map.of(mine, 0L, taken, 3L);
    assertThat(apply(both.from(actual), actual)).isEqualTo(BatchHandler.Outcome.APPLIED);

    assertThat(applied.applyAsLong(run)).isEqualTo(STEPS);
    assertThat(applied.applyAsLong(other)).isEqualTo(STEPS);
  }

  private int next() {
    int number = partition++;
    await(positions.read(Set.of(number)));
    return number;
  }

  private long position(int number) {
    return await(positions.read(Set.of(number))).getOrDefault(number, -1L);
  }

  private BatchHandler.Outcome apply(SinkBatch batch, Map<Integer, Long> expected) {
    return await(handler.apply(batch, expected));
  }

  private static <T> T await(Uni<T> request) {
    return request.await().atMost(PATIENCE);
  }

  private static SinkBatch batch(int partition, String run) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    add(
        records,
        partition,
        new EventId(run, Lane.CONTROL, 1),
        new TraceEvent.RunCreated(
            "external",
            "default",
            "kit",
            null,
            null,
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.now(),
            null,
            0,
            null));
    add(
        records,
        partition,
        new EventId(run, Lane.runner(1), 1),
        new TraceEvent.RunnerStarted("kit", 1L, "host", null, 0));
    for (int step = 1; step <= STEPS; step++) {
      add(
          records,
          partition,
          new EventId(run, Lane.runner(1), step + 1),
          new TraceEvent.StepCompleted(
              "s" + step,
              "transform",
              1,
              1,
              null,
              null,
              false,
              List.of(),
              null,
              null,
              null,
              5,
              null,
              null));
    }
    return SinkBatchDecoder.decode(records, Map.of());
  }

  private static void add(
      List<ConsumerRecord<byte[], byte[]>> records, int partition, EventId id, TraceEvent event) {
    ProducerRecord<String, byte[]> sent =
        TraceCodec.encode(TopicName.TRACE, new TraceRecord(id, SOURCE, Instant.now(), event), null);
    ConsumerRecord<byte[], byte[]> read =
        new ConsumerRecord<>(
            TopicName.TRACE,
            partition,
            records.size(),
            sent.key().getBytes(StandardCharsets.UTF_8),
            sent.value());
    sent.headers().forEach(read.headers()::add);
    records.add(read);
  }
}
