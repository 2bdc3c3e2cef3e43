/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFieldChecker;
import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** A reference implementation of {@link TraceCodec} with the CloudEvents library and JSON trees. */
final class PlainCodec {
  private PlainCodec() {}

  static ProducerRecord<String, byte[]> encode(
      String topic, TraceRecord record, @Nullable String lease) {
    ObjectNode data = Json.mapper().valueToTree(record.event());
    data.put("schema", EventTypeRegistry.SCHEMA);
    CloudEventBuilder event =
        CloudEventBuilder.v1()
            .withId(record.id().toString())
            .withSource(record.source())
            .withType(EventTypeRegistry.of(record.event()))
            .withSubject(record.run())
            .withTime(record.time().atOffset(ZoneOffset.UTC))
            .withData("application/json", Json.bytes(data));
    if (lease != null) {
      event.withExtension(TraceCodec.LEASE, lease);
    }
    return KafkaMessageFactory.<String>createWriter(topic, record.run()).writeBinary(event.build());
  }

  /** Returns the record, the type's name where it is unknown, or null for a malformed record. */
  static @Nullable Object decode(@Nullable String key, Headers headers, byte @Nullable [] value) {
    try {
      CloudEvent event = KafkaMessageFactory.createReader(headers, value).toEvent();
      EventId id = EventId.parse(event.getId());
      if (!event.getType().startsWith(EventTypeRegistry.PREFIX)
          || !id.run().equals(event.getSubject())
          || !id.run().equals(key)
          || event.getData() == null) {
        return null;
      }
      JsonNode data = Json.mapper().readTree(event.getData().toBytes());
      if (!data.isObject()) {
        return null;
      }
      Class<? extends TraceEvent> type = EventTypeRegistry.recordOf(event.getType()).orElse(null);
      if (type == null) {
        return event.getType();
      }
      TraceEvent typed = Json.mapper().treeToValue(data, type);
      Instant at = event.getTime() == null ? Instant.EPOCH : event.getTime().toInstant();
      return RequiredFieldChecker.missing((Record) typed) == null
          ? new TraceRecord(id, event.getSource(), at, typed)
          : null;
    } catch (RuntimeException | IOException malformed) {
      return null;
    }
  }
}
