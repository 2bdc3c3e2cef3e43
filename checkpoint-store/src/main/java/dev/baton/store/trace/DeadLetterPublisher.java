/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.DeadLetter;
import dev.baton.sink.DeadLetterHandler;
import dev.baton.sink.PoisonRecord;
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
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Sends records that are not stored, unchanged and with the reason, to the dead-letter topic. */
@ApplicationScoped
class DeadLetterPublisher implements DeadLetterHandler {
  private static final Logger LOG = Logger.getLogger(DeadLetterPublisher.class);

  /** Maximum bytes of the key if the record plus the reason exceeds the broker's limit. */
  private static final int CUT_KEY = 64 * 1024;

  /** The header that the messaging layer adds to every record that it reads. */
  private static final String ADDED = "__smallrye_generationId";

  private final MutinyEmitter<Record<byte[], byte[]>> channel;
  private final TraceMetrics metrics;

  DeadLetterPublisher(
      @Channel("dead-letters") MutinyEmitter<Record<byte[], byte[]>> channel,
      TraceMetrics metrics) {
    this.channel = channel;
    this.metrics = metrics;
  }

  /** Completes once the broker has acknowledged the record. */
  @Override
  public Uni<Void> publish(PoisonRecord poison) {
    byte[] key = poison.record().key();
    DeadLetter letter = letter(poison);
    // A record at the broker's size limit exceeds it once the reason is added.
    return send(key, letter)
        .onFailure(RecordTooLargeException.class)
        .recoverWithUni(
            () ->
                send(
                    key == null ? null : Arrays.copyOf(key, Math.min(key.length, CUT_KEY)),
                    letter.cut()))
        .invoke(() -> report(poison));
  }

  private Uni<Void> send(byte @Nullable [] key, DeadLetter letter) {
    OutgoingKafkaRecordMetadata<byte[]> metadata =
        OutgoingKafkaRecordMetadata.<byte[]>builder().withHeaders(letter.headers()).build();
    return channel.sendMessage(Message.of(Record.of(key, letter.value()), Metadata.of(metadata)));
  }

  private static DeadLetter letter(PoisonRecord poison) {
    ConsumerRecord<byte[], byte[]> record = poison.record();
    RecordHeaders read = new RecordHeaders();
    for (Header header : record.headers()) {
      if (!header.key().equals(ADDED)) {
        read.add(header);
      }
    }
    return DeadLetter.of(
        read, record.value(), poison.reason(), record.topic(), record.partition(), record.offset());
  }

  private void report(PoisonRecord poison) {
    metrics.poisoned();
    LOG.warnf(
        "%s-%d: record at offset %d moved to the dead-letter topic: %s",
        poison.record().topic(),
        poison.record().partition(),
        poison.record().offset(),
        poison.reason());
  }
}
