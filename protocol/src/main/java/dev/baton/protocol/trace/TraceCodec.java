/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFields;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Trace records as CloudEvents 1.0 on Kafka, in binary content mode with JSON data. A record in
 * structured mode is malformed, unless the program has a CloudEvents format for its content type on
 * its class path; Baton's have none.
 */
public final class TraceCodec {
  /** The extension attribute that carries the lease token. */
  public static final String LEASE = "batonlease";

  private static final String JSON = "application/json";

  /** What a Kafka record turned out to be. */
  public sealed interface Decoded {
    /**
     * @param data as it came, with the fields that this version does not know
     */
    record Known(TraceRecord record, JsonNode data, @Nullable String lease) implements Decoded {}

    /**
     * A well-formed event of a type that this version does not know: kept by the store, skipped and
     * counted by the fold.
     */
    record Unknown(
        EventId id, String source, String type, @Nullable OffsetDateTime time, JsonNode data)
        implements Decoded {}

    /**
     * @param reason one line that names what is wrong; goes to the dead-letter topic with the
     *     record
     */
    record Malformed(String reason) implements Decoded {}
  }

  private TraceCodec() {}

  /** The record for the topic, keyed by the run id. */
  public static ProducerRecord<String, byte[]> encode(
      String topic, TraceRecord record, @Nullable String lease) {
    ObjectNode data = Json.mapper().valueToTree(record.event());
    data.put("schema", EventTypes.SCHEMA);
    CloudEventBuilder event =
        CloudEventBuilder.v1()
            .withId(record.id().toString())
            .withSource(record.source())
            .withType(EventTypes.of(record.event()))
            .withSubject(record.run())
            .withTime(record.time().atOffset(ZoneOffset.UTC))
            .withData(JSON, Json.bytes(data));
    if (lease != null) {
      event.withExtension(LEASE, lease);
    }
    return KafkaMessageFactory.<String>createWriter(topic, record.run()).writeBinary(event.build());
  }

  /** Never throws for a bad record: says {@link Decoded.Malformed}. */
  public static Decoded decode(@Nullable String key, Headers headers, byte @Nullable [] value) {
    CloudEvent event;
    try {
      event = KafkaMessageFactory.createReader(headers, value).toEvent();
    } catch (RuntimeException e) {
      // Besides its own exceptions the library lets some of the JDK's through: a header whose value
      // is null gives a NullPointerException.
      return new Decoded.Malformed("not a CloudEvent: " + e.getMessage());
    }
    if (!event.getType().startsWith(EventTypes.PREFIX)) {
      return new Decoded.Malformed(
          "ce_type '" + event.getType() + "' does not begin with " + EventTypes.PREFIX);
    }
    try {
      return decode(key, event);
    } catch (IllegalArgumentException e) {
      return new Decoded.Malformed(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private static Decoded decode(@Nullable String key, CloudEvent event) {
    EventId id = EventId.parse(event.getId());
    if (!id.run().equals(event.getSubject())) {
      return new Decoded.Malformed(
          "ce_subject '"
              + event.getSubject()
              + "' is not the run of ce_id '"
              + event.getId()
              + "'");
    }
    if (!id.run().equals(key)) {
      return new Decoded.Malformed(
          "key '" + key + "' is not the run of ce_id '" + event.getId() + "'");
    }
    CloudEventData payload = event.getData();
    if (payload == null) {
      return new Decoded.Malformed(event.getId() + " has no data");
    }
    OffsetDateTime time = event.getTime();
    JsonNode data;
    TraceEvent typed;
    try {
      data = Json.mapper().readTree(payload.toBytes());
      if (!data.isObject()) {
        return new Decoded.Malformed(event.getId() + ": data is not a JSON object");
      }
      Class<? extends TraceEvent> type = EventTypes.recordOf(event.getType()).orElse(null);
      if (type == null) {
        return new Decoded.Unknown(id, event.getSource().toString(), event.getType(), time, data);
      }
      typed = Json.mapper().treeToValue(data, type);
    } catch (JacksonException e) {
      return new Decoded.Malformed(event.getId() + ": data: " + e.getOriginalMessage());
    } catch (IOException e) {
      return new Decoded.Malformed(event.getId() + ": data: " + e.getMessage());
    }
    String missing = RequiredFields.missing((Record) typed);
    if (missing != null) {
      return new Decoded.Malformed(
          event.getId() + ": " + event.getType() + " lacks the field '" + missing + "'");
    }
    Instant at = time == null ? Instant.EPOCH : time.toInstant();
    return new Decoded.Known(
        new TraceRecord(id, event.getSource(), at, typed),
        data,
        (String) event.getExtension(LEASE));
  }
}
