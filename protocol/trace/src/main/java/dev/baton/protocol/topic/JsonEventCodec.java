/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import com.fasterxml.jackson.databind.ObjectReader;
import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.clock.HeartbeatBounds;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFieldChecker;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes heartbeats and signals as CloudEvents 1.0 on Kafka. They have no order of their
 * own, so their ids are random.
 */
public final class JsonEventCodec {
  public static final String RUNNER_EXITED = EventTypeRegistry.PREFIX + "runner_exited";
  public static final String RUNNER_LEFT = EventTypeRegistry.PREFIX + "runner_left";
  public static final String HEARTBEATS_MISSED = EventTypeRegistry.PREFIX + "heartbeats_missed";

  private static final String JSON = "application/json";
  private static final ObjectReader HEARTBEAT = Json.mapper().readerFor(Heartbeat.class);
  private static final ObjectReader EXITED =
      Json.mapper().readerFor(RunnerSignal.RunnerExited.class);
  private static final ObjectReader LEFT = Json.mapper().readerFor(RunnerSignal.RunnerLeft.class);
  private static final ObjectReader MISSED =
      Json.mapper().readerFor(RunnerSignal.HeartbeatsMissed.class);

  private JsonEventCodec() {}

  /** Encodes a heartbeat without a lease, whose partition the client chooses. */
  public static ProducerRecord<String, byte[]> encode(URI source, Heartbeat heartbeat) {
    return encode(source, heartbeat, null, null);
  }

  /**
   * Encodes a heartbeat.
   *
   * @param partition the same for all heartbeats of an epoch; null: the client chooses it
   * @param lease of its run and epoch; null for none
   */
  public static ProducerRecord<String, byte[]> encode(
      URI source, Heartbeat heartbeat, @Nullable Integer partition, @Nullable String lease) {
    ProducerRecord<String, byte[]> record =
        encode(
            TopicName.HEARTBEATS,
            partition,
            heartbeat.run(),
            source,
            UUID.randomUUID().toString(),
            Heartbeat.TYPE,
            Json.bytes(heartbeat));
    if (lease != null) {
      TraceCodec.lease(record.headers(), lease);
    }
    return record;
  }

  public static ProducerRecord<String, byte[]> encode(URI source, RunnerSignal signal) {
    String type =
        switch (signal) {
          case RunnerSignal.RunnerExited exited -> RUNNER_EXITED;
          case RunnerSignal.RunnerLeft left -> RUNNER_LEFT;
          case RunnerSignal.HeartbeatsMissed missed -> HEARTBEATS_MISSED;
        };
    return encode(TopicName.SIGNALS, signal.run(), source, type, signal);
  }

  /**
   * Returns a notification about a run for external consumers.
   *
   * @param id of the event it is about; the same when it is repeated
   * @param event its name, for example {@code run_lost}
   * @param data JSON
   */
  public static ProducerRecord<String, byte[]> notification(
      URI source, String id, String event, String run, byte[] data) {
    return encode(
        TopicName.NOTIFICATIONS, null, run, source, id, EventTypeRegistry.PREFIX + event, data);
  }

  /** Returns a record of the audit log; records of one caller keep their order. */
  public static ProducerRecord<String, byte[]> audit(URI source, AuditRecord record) {
    String key = Objects.requireNonNullElse(record.key(), record.id());
    CloudEvent event =
        CloudEventBuilder.v1()
            .withId(record.id())
            .withSource(source)
            .withType(AuditRecord.TYPE)
            .withSubject(record.id())
            .withTime(record.time().atOffset(ZoneOffset.UTC))
            .withData(JSON, Json.bytes(record))
            .build();
    return KafkaMessageFactory.<String>createWriter(TopicName.AUDIT, null, key).writeBinary(event);
  }

  /**
   * @throws IllegalArgumentException when the record is not a heartbeat; the message names the
   *     field and what is allowed. No other exception is thrown, for any bytes
   */
  public static Heartbeat heartbeat(Headers headers, byte @Nullable [] value) {
    CloudEvent event = read(headers, value);
    if (!event.getType().equals(Heartbeat.TYPE)) {
      throw new IllegalArgumentException(
          "ce_type '" + event.getType() + "' is not " + Heartbeat.TYPE);
    }
    Heartbeat heartbeat = typed(event, HEARTBEAT);
    check(event, "run", RunId.isValid(heartbeat.run()), "a ULID in lower case");
    atLeast(event, "epoch", heartbeat.epoch(), 1);
    atLeast(event, "interval_ms", heartbeat.intervalMs(), HeartbeatBounds.MIN_INTERVAL_MS);
    atLeast(event, "timeout_ms", heartbeat.timeoutMs(), HeartbeatBounds.MIN_TIMEOUT_MS);
    return heartbeat;
  }

  /**
   * Empty for a signal of a type unknown to this version.
   *
   * @throws IllegalArgumentException when the record is not a CloudEvent or its data has the wrong
   *     form; the message names the field and what is allowed. No other exception is thrown, for
   *     any bytes
   */
  public static Optional<RunnerSignal> signal(Headers headers, byte @Nullable [] value) {
    CloudEvent event = read(headers, value);
    RunnerSignal signal;
    if (event.getType().equals(RUNNER_EXITED)) {
      signal = JsonEventCodec.<RunnerSignal.RunnerExited>typed(event, EXITED);
    } else if (event.getType().equals(RUNNER_LEFT)) {
      signal = JsonEventCodec.<RunnerSignal.RunnerLeft>typed(event, LEFT);
    } else if (event.getType().equals(HEARTBEATS_MISSED)) {
      RunnerSignal.HeartbeatsMissed missed = typed(event, MISSED);
      atLeast(event, "silent_ms", missed.silentMs(), 0);
      atLeast(event, "timeout_ms", missed.timeoutMs(), 0);
      signal = missed;
    } else {
      return Optional.empty();
    }
    check(event, "run", RunId.isValid(signal.run()), "a ULID in lower case");
    atLeast(event, "epoch", signal.epoch(), 1);
    return Optional.of(signal);
  }

  private static ProducerRecord<String, byte[]> encode(
      String topic, String run, URI source, String type, Object data) {
    return encode(topic, null, run, source, UUID.randomUUID().toString(), type, Json.bytes(data));
  }

  private static ProducerRecord<String, byte[]> encode(
      String topic,
      @Nullable Integer partition,
      String run,
      URI source,
      String id,
      String type,
      byte[] data) {
    CloudEvent event =
        CloudEventBuilder.v1()
            .withId(id)
            .withSource(source)
            .withType(type)
            .withSubject(run)
            .withTime(Instant.now().atOffset(ZoneOffset.UTC))
            .withData(JSON, data)
            .build();
    return KafkaMessageFactory.<String>createWriter(topic, partition, run).writeBinary(event);
  }

  private static CloudEvent read(Headers headers, byte @Nullable [] value) {
    try {
      return KafkaMessageFactory.createReader(headers, value).toEvent();
    } catch (RuntimeException e) {
      // The library also lets JDK exceptions through: a header whose value is null causes a
      // NullPointerException.
      throw new IllegalArgumentException("not a CloudEvent: " + e.getMessage(), e);
    }
  }

  private static <T extends Record> T typed(CloudEvent event, ObjectReader reader) {
    CloudEventData data = event.getData();
    if (data == null) {
      throw new IllegalArgumentException(name(event) + " has no data");
    }
    T read;
    try {
      read = reader.readValue(data.toBytes());
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(name(event) + ": " + e.getMessage(), e);
    }
    if (read == null) {
      throw new IllegalArgumentException(name(event) + ": data is not a JSON object");
    }
    String missing = RequiredFieldChecker.missing(read);
    if (missing != null) {
      throw new IllegalArgumentException(name(event) + " lacks the field '" + missing + "'");
    }
    return read;
  }

  private static void atLeast(CloudEvent event, String field, long value, long least) {
    check(event, field, value >= least, least + " and up, not " + value + " or nothing");
  }

  private static void check(CloudEvent event, String field, boolean good, String allowed) {
    if (!good) {
      throw new IllegalArgumentException(
          name(event) + ": '" + field + "' is out of bounds; allowed: " + allowed);
    }
  }

  private static String name(CloudEvent event) {
    return event.getType() + " " + event.getId();
  }
}
