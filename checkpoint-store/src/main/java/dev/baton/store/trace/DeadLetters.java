/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.Record;
import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Metadata;

/**
 * Sends records that are no trace events to the dead-letter topic, as they came, with the reason.
 */
@ApplicationScoped
class DeadLetters {
  private static final int LONGEST_REASON = 1_000;

  /**
   * A record at the broker's limit no longer fits once the reason is added: then so much is kept.
   */
  private static final int CUT_VALUE = 512 * 1024;

  /** What the messaging layer adds to every record that it reads. */
  private static final String ADDED = "__smallrye_generationId";

  private final MutinyEmitter<Record<byte[], byte[]>> channel;

  DeadLetters(@Channel("dead-letters") MutinyEmitter<Record<byte[], byte[]>> channel) {
    this.channel = channel;
  }

  /** Completes once the broker has acknowledged it. */
  Uni<Void> send(Poison poison) {
    ConsumerRecord<byte[], byte[]> record = poison.record();
    return send(record, record.value(), headers(poison))
        .onFailure(RecordTooLargeException.class)
        .recoverWithUni(
            () -> {
              byte[] value = record.value();
              RecordHeaders headers = headers(poison);
              headers.add("baton_value_bytes", bytes(Integer.toString(value.length)));
              return send(record, Arrays.copyOf(value, Math.min(value.length, CUT_VALUE)), headers);
            });
  }

  private Uni<Void> send(
      ConsumerRecord<byte[], byte[]> record, byte[] value, RecordHeaders headers) {
    OutgoingKafkaRecordMetadata<byte[]> metadata =
        OutgoingKafkaRecordMetadata.<byte[]>builder().withHeaders(headers).build();
    return channel.sendMessage(Message.of(Record.of(record.key(), value), Metadata.of(metadata)));
  }

  private static RecordHeaders headers(Poison poison) {
    ConsumerRecord<byte[], byte[]> record = poison.record();
    RecordHeaders headers = new RecordHeaders();
    for (Header header : record.headers()) {
      if (!header.key().equals(ADDED)) {
        headers.add(header);
      }
    }
    String reason = poison.reason();
    headers.add(
        "baton_reason",
        bytes(reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON)));
    headers.add("baton_topic", bytes(record.topic()));
    headers.add("baton_partition", bytes(Integer.toString(record.partition())));
    headers.add("baton_offset", bytes(Long.toString(record.offset())));
    return headers;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
