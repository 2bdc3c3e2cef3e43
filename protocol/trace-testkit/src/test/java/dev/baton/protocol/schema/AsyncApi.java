/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.schema;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventTypeRegistry;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Builds the AsyncAPI 3.0 document of the topics from the records. */
final class AsyncApi {
  static final String SCHEMAS = "https://baton.dev/schema/v1/";

  private AsyncApi() {}

  /** Returns every message by topic, then by type. */
  static Map<String, SortedMap<String, Class<?>>> messages() {
    SortedMap<String, Class<?>> trace = new TreeMap<>();
    EventTypeRegistry.all()
        .forEach((name, record) -> trace.put(EventTypeRegistry.PREFIX + name, record));
    SortedMap<String, Class<?>> heartbeats = new TreeMap<>(Map.of(Heartbeat.TYPE, Heartbeat.class));
    SortedMap<String, Class<?>> signals =
        new TreeMap<>(
            Map.of(
                JsonEventCodec.RUNNER_EXITED, RunnerSignal.RunnerExited.class,
                JsonEventCodec.RUNNER_LEFT, RunnerSignal.RunnerLeft.class,
                JsonEventCodec.HEARTBEATS_MISSED, RunnerSignal.HeartbeatsMissed.class));
    SortedMap<String, Class<?>> audit = new TreeMap<>(Map.of(AuditRecord.TYPE, AuditRecord.class));
    return new TreeMap<>(
        Map.of(
            TopicName.TRACE,
            trace,
            TopicName.HEARTBEATS,
            heartbeats,
            TopicName.SIGNALS,
            signals,
            TopicName.AUDIT,
            audit));
  }

  static String fileName(String type) {
    return type.substring(EventTypeRegistry.PREFIX.length()) + ".schema.json";
  }

  static ObjectNode document() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("asyncapi", "3.0.0");
    root.putObject("info")
        .put("title", "Baton topics")
        .put("version", Integer.toString(EventTypeRegistry.SCHEMA))
        .put(
            "description",
            "CloudEvents 1.0 in binary content mode: ce_id, ce_source, ce_type, ce_subject, ce_time and"
                + " content-type are Kafka headers, the value is JSON. The key of every record is the run id, in baton.audit the id of the API key.");
    root.put("defaultContentType", "application/json");
    ObjectNode channels = root.putObject("channels");
    ObjectNode messages = root.putObject("components").putObject("messages");
    messages()
        .forEach(
            (topic, types) -> {
              ObjectNode channel = channels.putObject(topic).put("address", topic);
              ObjectNode refs = channel.putObject("messages");
              for (String type : types.keySet()) {
                String name = type.substring(EventTypeRegistry.PREFIX.length());
                refs.putObject(name).put("$ref", "#/components/messages/" + name);
                messages.set(name, message(topic, type));
              }
            });
    ObjectNode told =
        channels
            .putObject(TopicName.NOTIFICATIONS)
            .put("address", TopicName.NOTIFICATIONS)
            .putObject("messages");
    for (String event :
        List.of(
            "agent_session_created",
            "run_cancelled",
            "run_completed",
            "run_degraded",
            "run_failed",
            "run_lost")) {
      String name = "notification_" + event;
      told.putObject(name).put("$ref", "#/components/messages/" + name);
      ObjectNode message = message(TopicName.NOTIFICATIONS, EventTypeRegistry.PREFIX + event);
      message.set("payload", notification(event));
      messages.set(name, message);
    }
    return root;
  }

  /** The payload as the orchestrator writes it for the topic and for webhooks. */
  private static ObjectNode notification(String event) {
    ObjectNode payload = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = payload.putObject("properties");
    properties
        .putObject("id")
        .put("type", "string")
        .put("description", "of the event in the trace");
    properties.putObject("type").put("const", event);
    properties.putObject("timestamp").put("type", "string").put("format", "date-time");
    ObjectNode data = properties.putObject("data").put("type", "object");
    ObjectNode run = data.putObject("properties");
    run.putObject("run").put("type", "string");
    run.putObject("display_id").put("type", "string");
    run.putObject("project").put("type", "string");
    run.putObject("workflow").putArray("type").add("string").add("null");
    run.putObject("labels")
        .put("type", "object")
        .putObject("additionalProperties")
        .put("type", "string");
    run.putObject("epoch").put("type", "integer").put("minimum", 1);
    run.putObject("event").put("$ref", "./" + fileName(EventTypeRegistry.PREFIX + event));
    data.putArray("required")
        .add("run")
        .add("display_id")
        .add("project")
        .add("labels")
        .add("epoch")
        .add("event");
    payload.putArray("required").add("id").add("type").add("timestamp").add("data");
    return payload;
  }

  private static ObjectNode message(String topic, String type) {
    ObjectNode message = JsonNodeFactory.instance.objectNode();
    message.put("name", type).put("contentType", "application/json");
    ObjectNode headers = message.putObject("headers").put("type", "object");
    ObjectNode properties = headers.putObject("properties");
    ObjectNode id = properties.putObject("ce_id").put("type", "string");
    if (topic.equals(TopicName.TRACE)) {
      id.put("pattern", "^[0-7][0-9a-hjkmnp-tv-z]{25}/(c|[1-9][0-9]*)/[1-9][0-9]*$");
    }
    properties.putObject("ce_source").put("type", "string");
    properties.putObject("ce_specversion").put("const", "1.0");
    properties
        .putObject("ce_subject")
        .put("type", "string")
        .put("description", topic.equals(TopicName.AUDIT) ? "the id of the request" : "the run id");
    properties.putObject("ce_time").put("type", "string").put("format", "date-time");
    properties.putObject("ce_type").put("const", type);
    headers
        .putArray("required")
        .add("ce_id")
        .add("ce_source")
        .add("ce_specversion")
        .add("ce_subject")
        .add("ce_type");
    message.putObject("payload").put("$ref", "./" + fileName(type));
    return message;
  }
}
