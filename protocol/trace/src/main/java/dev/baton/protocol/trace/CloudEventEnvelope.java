/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import dev.baton.protocol.json.WireTimeCodec;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.core.v1.CloudEventV1;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A CloudEvent's attributes and data on Kafka, before the trace's own checks.
 *
 * @param lease the lease token, where the record has one
 * @param data null where there is none
 */
record CloudEventEnvelope(
    String id,
    URI source,
    String type,
    @Nullable String subject,
    @Nullable OffsetDateTime time,
    @Nullable String lease,
    byte @Nullable [] data) {
  static final String PREFIX = "ce_";
  private static final String SPEC_VERSION = PREFIX + CloudEventV1.SPECVERSION;
  private static final String ID = PREFIX + CloudEventV1.ID;
  private static final String SOURCE = PREFIX + CloudEventV1.SOURCE;
  private static final String TYPE = PREFIX + CloudEventV1.TYPE;
  private static final String SUBJECT = PREFIX + CloudEventV1.SUBJECT;
  private static final String TIME = PREFIX + CloudEventV1.TIME;
  private static final String LEASE = PREFIX + TraceCodec.LEASE;
  private static final String SIGNATURE = PREFIX + TraceCodec.SIGNATURE;
  private static final String CONTENT_TYPE = "content-type";
  private static final byte[] JSON = utf8("application/json");
  private static final byte[] VERSION = utf8("1.0");

  /**
   * A few sources write many events. Cleared when full, so that foreign records cannot fill the
   * memory.
   */
  private static final Map<String, URI> SOURCES = new ConcurrentHashMap<>();

  private static final int MAX_SOURCES = 4_096;
  private static final int MAX_SOURCE_LENGTH = 256;

  /**
   * @throws RuntimeException of any type when the record is not a CloudEvent
   */
  static CloudEventEnvelope read(Headers headers, byte @Nullable [] value) {
    CloudEventEnvelope usual = readUsual(headers, value);
    return usual == null ? readAny(headers, value) : usual;
  }

  /** Reads in one pass what this codec writes; null for all other forms, and for errors. */
  private static @Nullable CloudEventEnvelope readUsual(Headers headers, byte @Nullable [] value) {
    boolean version = false;
    boolean json = false;
    String id = null;
    URI source = null;
    String type = null;
    String subject = null;
    OffsetDateTime time = null;
    String lease = null;
    for (Header header : headers) {
      byte[] bytes = header.value();
      if (bytes == null) {
        return null;
      }
      switch (header.key()) {
        case SPEC_VERSION -> version = Arrays.equals(bytes, VERSION);
        case CONTENT_TYPE -> json = Arrays.equals(bytes, JSON);
        case ID -> id = text(bytes);
        case SOURCE -> source = source(text(bytes));
        case TYPE -> type = text(bytes);
        case SUBJECT -> subject = text(bytes);
        case TIME -> {
          time = WireTimeCodec.parseUtc(text(bytes));
          if (time == null) {
            return null;
          }
        }
        case LEASE -> lease = text(bytes);
        case SIGNATURE -> {
          // Read from the headers by those who verify it.
        }
        default -> {
          if (header.key().startsWith(PREFIX)) {
            return null;
          }
        }
      }
    }
    return version && json && id != null && source != null && type != null
        ? new CloudEventEnvelope(
            id,
            source,
            type,
            subject,
            time,
            lease,
            value == null || value.length == 0 ? null : value)
        : null;
  }

  private static CloudEventEnvelope readAny(Headers headers, byte @Nullable [] value) {
    CloudEvent event = KafkaMessageFactory.createReader(headers, value).toEvent();
    CloudEventData data = event.getData();
    Object lease = event.getExtension(TraceCodec.LEASE);
    return new CloudEventEnvelope(
        event.getId(),
        event.getSource(),
        event.getType(),
        event.getSubject(),
        event.getTime(),
        lease == null ? null : lease.toString(),
        data == null ? null : data.toBytes());
  }

  private static @Nullable URI source(String text) {
    URI known = SOURCES.get(text);
    if (known != null) {
      return known;
    }
    URI source;
    try {
      source = URI.create(text);
    } catch (IllegalArgumentException bad) {
      return null; // The library reports the error.
    }
    if (text.length() > MAX_SOURCE_LENGTH) {
      return source;
    }
    if (SOURCES.size() >= MAX_SOURCES) {
      SOURCES.clear();
    }
    SOURCES.put(text, source);
    return source;
  }

  /** Returns the headers of the record that has the data as its value. */
  Headers headers() {
    RecordHeaders headers = new RecordHeaders();
    headers.add(CONTENT_TYPE, JSON);
    headers.add(SPEC_VERSION, VERSION);
    headers.add(ID, utf8(id));
    headers.add(SOURCE, utf8(source.toString()));
    headers.add(TYPE, utf8(type));
    if (subject != null) {
      headers.add(SUBJECT, utf8(subject));
    }
    if (time != null) {
      headers.add(TIME, utf8(WireTimeCodec.format(time)));
    }
    if (lease != null) {
      headers.add(LEASE, utf8(lease));
    }
    return headers;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
