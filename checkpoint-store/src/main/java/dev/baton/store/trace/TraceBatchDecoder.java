/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Decodes Kafka records to rows. Pure and CPU-bound: call it on a worker thread. */
final class TraceBatchDecoder {
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  private final List<EventRow> events = new ArrayList<>();
  private final List<CutRow> cuts = new ArrayList<>();
  private final List<PoisonRecord> poison = new ArrayList<>();
  private final Map<Integer, OffsetRange> spans = new HashMap<>();

  private TraceBatchDecoder() {}

  /** Decodes the records of one poll. */
  static DecodedBatch decode(ConsumerRecords<byte[], byte[]> polled) {
    return decode(polled, polled.nextOffsets());
  }

  /**
   * @param polled the consumer's next offset, for all, some or no partitions
   */
  static DecodedBatch decode(
      Iterable<ConsumerRecord<byte[], byte[]>> records,
      Map<TopicPartition, OffsetAndMetadata> polled) {
    TraceBatchDecoder decoder = new TraceBatchDecoder();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      decoder.take(record);
    }
    polled.forEach(
        (partition, next) ->
            decoder.spans.computeIfPresent(
                partition.partition(),
                (number, span) ->
                    new OffsetRange(span.first(), Math.max(span.next(), next.offset()))));
    return new DecodedBatch(decoder.events, decoder.cuts, decoder.poison, decoder.spans);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    long offset = record.offset();
    spans.merge(
        record.partition(), new OffsetRange(offset, offset + 1), (old, one) -> old.plus(offset));
    try {
      add(record);
    } catch (CharacterCodingException e) {
      poison.add(new PoisonRecord(record, "the key is not UTF-8"));
    } catch (RuntimeException e) {
      // Any invalid record of a foreign producer is set aside, so that it cannot block a partition.
      poison.add(new PoisonRecord(record, "cannot be decoded: " + e));
    }
  }

  private void add(ConsumerRecord<byte[], byte[]> record) throws CharacterCodingException {
    String key = text(record.key());
    switch (TraceCodec.decode(key, record.headers(), record.value())) {
      case TraceCodec.Decoded.Malformed bad -> poison.add(new PoisonRecord(record, bad.reason()));
      case TraceCodec.Decoded.Unknown other ->
          keep(
              record,
              other.id(),
              other.type(),
              other.source(),
              other.time() == null ? null : other.time().toInstant(),
              TraceCodec.lease(record.headers()),
              other.raw(),
              null);
      case TraceCodec.Decoded.Known known ->
          keep(
              record,
              known.record().id(),
              EventTypeRegistry.of(known.record().event()),
              known.record().source().toString(),
              known.record().time(),
              known.lease(),
              known.raw(),
              known);
    }
  }

  private void keep(
      ConsumerRecord<byte[], byte[]> record,
      EventId id,
      String type,
      String source,
      @Nullable Instant time,
      @Nullable String lease,
      byte[] data,
      TraceCodec.Decoded.@Nullable Known known) {
    TraceEvent event = known == null ? null : known.record().event();
    EventRow row =
        new EventRow(
            record,
            id,
            type,
            event != null,
            source,
            micros(time),
            lease,
            data,
            isFailedCapture(event));
    CutRow cut = event == null ? null : CutRow.of(row, event);
    // Postgres does not allow NUL in text and would refuse the whole batch.
    if (hasNul(type)
        || hasNul(source)
        || hasNul(lease)
        || (cut != null && (hasNul(cut.step()) || hasNul(cut.cut().format())))) {
      poison.add(new PoisonRecord(record, id + " has a NUL character in a name"));
      return;
    }
    events.add(row);
    if (cut != null) {
      cuts.add(cut);
    }
  }

  private static boolean isFailedCapture(@Nullable TraceEvent event) {
    return switch (event) {
      case TraceEvent.CheckpointSaved saved -> saved.error() != null;
      case TraceEvent.StepCompleted completed -> completed.withoutCut();
      case null, default -> false;
    };
  }

  private static boolean hasNul(@Nullable String text) {
    return text != null && text.indexOf('\0') >= 0;
  }

  private static @Nullable Long micros(@Nullable Instant time) {
    return time == null || time.isBefore(FIRST) || time.isAfter(LAST)
        ? null
        : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static @Nullable String text(byte @Nullable [] key) throws CharacterCodingException {
    return key == null
        ? null
        : Objects.requireNonNull(
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString());
  }
}
