/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonProblemFormatter;
import dev.baton.protocol.json.RequiredFieldChecker;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes trace records as CloudEvents 1.0 on Kafka, in binary content mode with JSON
 * data. A record in structured mode is malformed, unless the class path has a CloudEvents format
 * for its content type; Baton's programs have none.
 */
public final class TraceCodec {
  /** The extension attribute with the lease token. */
  public static final String LEASE = "batonlease";

  /** The extension attribute with the signature of a control event. */
  public static final String SIGNATURE = "batonsignature";

  /** Marks events that were restored into the log from an archive. */
  public static final String RESTORED = "batonrestored";

  private static final byte[] SCHEMA = utf8("\"schema\":" + EventTypeRegistry.SCHEMA + "}");

  private static final Map<Class<?>, ObjectReader> READERS =
      EventTypeRegistry.all().values().stream()
          .collect(Collectors.toUnmodifiableMap(c -> c, c -> Json.mapper().readerFor(c)));

  /** The result of decoding a Kafka record. */
  public sealed interface Decoded {
    /**
     * @param raw the data as received, including fields unknown to this version: a JSON object. Not
     *     copied: treat it as immutable
     */
    record Known(TraceRecord record, byte[] raw, @Nullable String lease) implements Decoded {}

    /**
     * A well-formed event of a type unknown to this version: stored by the store, skipped and
     * counted by the fold.
     *
     * @param raw as in {@link Known}
     */
    record Unknown(
        EventId id, String source, String type, @Nullable OffsetDateTime time, byte[] raw)
        implements Decoded {}

    /**
     * @param reason one line that names what is wrong; sent to the dead-letter topic with the
     *     record
     */
    record Malformed(String reason) implements Decoded {}
  }

  private TraceCodec() {}

  /** Returns the record for the topic, keyed by the run id; the client chooses the partition. */
  public static ProducerRecord<String, byte[]> encode(
      String topic, TraceRecord record, @Nullable String lease) {
    return encode(topic, null, record, lease);
  }

  /**
   * Returns the record for the topic, keyed by the run id.
   *
   * @param home the run's home partition; null where it is not known: the client then chooses one
   */
  public static ProducerRecord<String, byte[]> encode(
      String topic, @Nullable Integer home, TraceRecord record, @Nullable String lease) {
    byte[] data = withSchema(Json.bytes(record.event()));
    CloudEventEnvelope envelope =
        new CloudEventEnvelope(
            record.id().toString(),
            record.source(),
            EventTypeRegistry.of(record.event()),
            record.run(),
            record.time().atOffset(ZoneOffset.UTC),
            lease,
            data);
    return new ProducerRecord<>(topic, home, record.run(), data, envelope.headers());
  }

  /**
   * Returns the record that restores an event into the log, with unchanged data. It has no lease:
   * the original lease was for another time.
   *
   * @param home the run's home partition
   * @param time null where the event has none
   */
  public static ProducerRecord<String, byte[]> restore(
      String topic,
      int home,
      EventId id,
      URI source,
      String type,
      @Nullable Instant time,
      byte[] data) {
    Headers headers = headers(id, source, EventTypeRegistry.current(type), time, null, data);
    headers.add(CloudEventEnvelope.PREFIX + RESTORED, utf8("true"));
    return new ProducerRecord<>(topic, home, id.run(), data, headers);
  }

  /**
   * Returns the headers with which an event is sent.
   *
   * @param time null where the event has none
   */
  public static Headers headers(
      EventId id,
      URI source,
      String type,
      @Nullable Instant time,
      @Nullable String lease,
      byte[] data) {
    return new CloudEventEnvelope(
            id.toString(),
            source,
            type,
            id.run(),
            time == null ? null : time.atOffset(ZoneOffset.UTC),
            lease,
            data)
        .headers();
  }

  /** Whether the record was restored into the log by {@link #restore}. */
  public static boolean isRestored(Headers headers) {
    Header mark = headers.lastHeader(CloudEventEnvelope.PREFIX + RESTORED);
    return mark != null && Arrays.equals(mark.value(), utf8("true"));
  }

  /** Returns the lease of a record of any kind; null for none. */
  public static @Nullable String lease(Headers headers) {
    return attribute(headers, LEASE);
  }

  /** Adds the lease of its writer to a record of any kind. */
  public static void lease(Headers headers, String lease) {
    headers.add(CloudEventEnvelope.PREFIX + LEASE, utf8(lease));
  }

  /** Adds the signature of the event to its record. */
  public static void sign(Headers headers, String signature) {
    headers.add(CloudEventEnvelope.PREFIX + SIGNATURE, utf8(signature));
  }

  /** Returns the signature of a record of any kind; null for none. */
  public static @Nullable String signature(Headers headers) {
    return attribute(headers, SIGNATURE);
  }

  /** Returns an attribute of a CloudEvent, without a check of its form; null for none. */
  public static @Nullable String attribute(Headers headers, String name) {
    Header header = headers.lastHeader(CloudEventEnvelope.PREFIX + name);
    return header == null || header.value() == null
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }

  /** Returns the JSON object with the schema field added. */
  private static byte[] withSchema(byte[] object) {
    boolean empty = object.length == 2;
    byte[] whole = Arrays.copyOf(object, object.length - (empty ? 1 : 0) + SCHEMA.length);
    int end = object.length - 1;
    if (!empty) {
      whole[end++] = ',';
    }
    System.arraycopy(SCHEMA, 0, whole, end, SCHEMA.length);
    return whole;
  }

  /** Decodes a record. Never throws for a bad record: returns {@link Decoded.Malformed}. */
  public static Decoded decode(@Nullable String key, Headers headers, byte @Nullable [] value) {
    CloudEventEnvelope event;
    try {
      event = CloudEventEnvelope.read(headers, value);
    } catch (RuntimeException e) {
      // The library also lets JDK exceptions through: a header whose value is null causes a
      // NullPointerException.
      return new Decoded.Malformed("not a CloudEvent: " + e.getMessage());
    }
    if (!event.type().startsWith(EventTypeRegistry.PREFIX)) {
      return new Decoded.Malformed(
          "ce_type '" + event.type() + "' does not begin with " + EventTypeRegistry.PREFIX);
    }
    try {
      return decode(key, event);
    } catch (JacksonException e) {
      return new Decoded.Malformed(event.id() + ": data: " + JsonProblemFormatter.describe(e));
    } catch (IOException e) {
      return new Decoded.Malformed(event.id() + ": data: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return new Decoded.Malformed(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private static Decoded decode(@Nullable String key, CloudEventEnvelope event) throws IOException {
    EventId id = EventId.parse(event.id());
    if (!id.run().equals(event.subject())) {
      return new Decoded.Malformed(
          "ce_subject '" + event.subject() + "' is not the run of ce_id '" + event.id() + "'");
    }
    if (!id.run().equals(key)) {
      return new Decoded.Malformed(
          "key '" + key + "' is not the run of ce_id '" + event.id() + "'");
    }
    byte[] data = event.data();
    if (data == null) {
      return new Decoded.Malformed(event.id() + " has no data");
    }
    Class<? extends TraceEvent> type = EventTypeRegistry.recordOf(event.type()).orElse(null);
    // Data that begins with a brace and parses as a record is an object; other data is parsed as a
    // tree to check it.
    if ((type == null || data[0] != '{') && !Json.mapper().readTree(data).isObject()) {
      return new Decoded.Malformed(event.id() + ": data is not a JSON object");
    }
    if (type == null) {
      return new Decoded.Unknown(id, event.source().toString(), event.type(), event.time(), data);
    }
    TraceEvent typed = Objects.requireNonNull(READERS.get(type)).readValue(data);
    String missing = RequiredFieldChecker.missing((Record) typed);
    if (missing != null) {
      return new Decoded.Malformed(
          event.id() + ": " + event.type() + " lacks the field '" + missing + "'");
    }
    OffsetDateTime time = event.time();
    Instant at = time == null ? Instant.EPOCH : time.toInstant();
    return new Decoded.Known(new TraceRecord(id, event.source(), at, typed), data, event.lease());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
