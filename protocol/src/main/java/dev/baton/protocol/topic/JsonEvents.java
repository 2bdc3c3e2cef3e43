/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.signal.Signal;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import io.cloudevents.rw.CloudEventRWException;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * Heartbeats and signals as CloudEvents 1.0 on Kafka. They have no order of their own, so their ids
 * are random.
 */
public final class JsonEvents {
  public static final String RUNNER_EXITED = "dev.baton.runner_exited";
  public static final String HEARTBEATS_MISSED = "dev.baton.heartbeats_missed";

  private JsonEvents() {}

  public static ProducerRecord<String, byte[]> encode(URI source, Heartbeat heartbeat) {
    return encode(Topics.HEARTBEATS, heartbeat.run(), source, Heartbeat.TYPE, heartbeat);
  }

  public static ProducerRecord<String, byte[]> encode(URI source, Signal signal) {
    String type =
        switch (signal) {
          case Signal.RunnerExited exited -> RUNNER_EXITED;
          case Signal.HeartbeatsMissed missed -> HEARTBEATS_MISSED;
        };
    return encode(Topics.SIGNALS, signal.run(), source, type, signal);
  }

  /**
   * @throws IllegalArgumentException when the record is no heartbeat; the message says why
   */
  public static Heartbeat heartbeat(Headers headers, byte[] value) {
    CloudEvent event = read(headers, value);
    if (!event.getType().equals(Heartbeat.TYPE)) {
      throw new IllegalArgumentException(
          "ce_type '" + event.getType() + "' is not " + Heartbeat.TYPE);
    }
    return typed(event, Heartbeat.class);
  }

  /**
   * Empty for a signal of a type that this version does not know.
   *
   * @throws IllegalArgumentException when the record is no CloudEvent or its data has the wrong
   *     shape; the message says why
   */
  public static Optional<Signal> signal(Headers headers, byte[] value) {
    CloudEvent event = read(headers, value);
    return switch (event.getType()) {
      case RUNNER_EXITED -> Optional.of(typed(event, Signal.RunnerExited.class));
      case HEARTBEATS_MISSED -> Optional.of(typed(event, Signal.HeartbeatsMissed.class));
      default -> Optional.empty();
    };
  }

  private static ProducerRecord<String, byte[]> encode(
      String topic, String run, URI source, String type, Object data) {
    CloudEvent event =
        CloudEventBuilder.v1()
            .withId(UUID.randomUUID().toString())
            .withSource(source)
            .withType(type)
            .withSubject(run)
            .withTime(Instant.now().atOffset(ZoneOffset.UTC))
            .withData("application/json", Json.bytes(data))
            .build();
    return KafkaMessageFactory.<String>createWriter(topic, run).writeBinary(event);
  }

  private static CloudEvent read(Headers headers, byte[] value) {
    try {
      return KafkaMessageFactory.createReader(headers, value).toEvent();
    } catch (CloudEventRWException | IllegalStateException e) {
      throw new IllegalArgumentException("not a CloudEvent: " + e.getMessage(), e);
    }
  }

  private static <T> T typed(CloudEvent event, Class<T> type) {
    CloudEventData data = event.getData();
    if (data == null) {
      throw new IllegalArgumentException(event.getType() + " " + event.getId() + " has no data");
    }
    try {
      JsonNode tree = Json.mapper().readTree(data.toBytes());
      if (!tree.hasNonNull("run") || !tree.hasNonNull("epoch")) {
        throw new IllegalArgumentException(
            event.getType() + " " + event.getId() + " lacks 'run' or 'epoch'");
      }
      return Json.mapper().treeToValue(tree, type);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          event.getType() + " " + event.getId() + ": " + e.getMessage(), e);
    }
  }
}
