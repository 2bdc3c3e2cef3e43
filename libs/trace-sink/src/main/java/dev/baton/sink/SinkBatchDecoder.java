/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceCodec;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Decodes Kafka records. Pure and CPU-bound: call it on a worker thread. */
public final class SinkBatchDecoder {
  private final List<SinkRecord> records = new ArrayList<>();
  private final List<PoisonRecord> poison = new ArrayList<>();
  private final Map<Integer, OffsetRange> spans = new HashMap<>();

  private SinkBatchDecoder() {}

  /**
   * @param records in log order within each partition
   * @param polled the consumer's next offset, for all, some or no partitions
   */
  public static SinkBatch decode(
      Iterable<ConsumerRecord<byte[], byte[]>> records,
      Map<TopicPartition, OffsetAndMetadata> polled) {
    SinkBatchDecoder decoder = new SinkBatchDecoder();
    records.forEach(decoder::take);
    polled.forEach(
        (partition, next) ->
            decoder.spans.computeIfPresent(
                partition.partition(),
                (number, span) ->
                    new OffsetRange(span.first(), Math.max(span.next(), next.offset()))));
    return new SinkBatch(decoder.records, decoder.poison, decoder.spans);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    long offset = record.offset();
    spans.merge(
        record.partition(), new OffsetRange(offset, offset + 1), (old, one) -> old.plus(offset));
    try {
      add(record);
    } catch (CharacterCodingException e) {
      malformed(record, "the key is not UTF-8");
    } catch (RuntimeException e) {
      // Any invalid record of a foreign producer is set aside, so that it cannot block a partition.
      malformed(record, "cannot be decoded: " + e);
    }
  }

  private void malformed(ConsumerRecord<byte[], byte[]> record, String reason) {
    poison.add(new PoisonRecord(record, PoisonRecord.Kind.MALFORMED, reason));
  }

  private void add(ConsumerRecord<byte[], byte[]> record) throws CharacterCodingException {
    byte[] bytes = record.key();
    String key =
        bytes == null
            ? null
            : StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    switch (TraceCodec.decode(key, record.headers(), record.value())) {
      case TraceCodec.Decoded.Malformed bad -> malformed(record, bad.reason());
      case TraceCodec.Decoded.Unknown other ->
          records.add(
              new SinkRecord(
                  record,
                  other.id(),
                  other.type(),
                  other.source(),
                  other.time() == null ? null : other.time().toInstant(),
                  TraceCodec.lease(record.headers()),
                  other.raw(),
                  null));
      case TraceCodec.Decoded.Known known ->
          records.add(
              new SinkRecord(
                  record,
                  known.record().id(),
                  EventTypeRegistry.of(known.record().event()),
                  known.record().source().toString(),
                  known.record().time(),
                  known.lease(),
                  known.raw(),
                  known.record()));
    }
  }
}
