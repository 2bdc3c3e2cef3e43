/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.schema;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.trace.Output;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the JSON Schemas (2020-12) of the wire records from their components. */
final class RecordSchemas {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Fields with a default: writers may omit them, readers use the default. */
  private static final Map<String, Set<String>> DEFAULTED =
      Map.of(
          "RunCreated", Set.of("kind", "project", "labels", "restart"),
          "StepCompleted", Set.of("next"),
          "StepSkipped", Set.of("next"),
          "RunnerStarted", Set.of("left_out"),
          "ToolInvoked", Set.of("files"),
          "ModelAnswered", Set.of("tools"),
          "RunParked", Set.of("left_ms"),
          "Cut", Set.of("left_out"));

  private RecordSchemas() {}

  /** Builds the schema of a message's data. */
  static ObjectNode document(String id, String title, Class<?> record) {
    ObjectNode schema = JSON.objectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("$id", id);
    schema.put("title", title);
    schema.setAll(object(record));
    return schema;
  }

  static ObjectNode object(Class<?> record) {
    ObjectNode schema = JSON.objectNode();
    schema.put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (RecordComponent component : record.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonAnyGetter.class)) {
        continue; // additionalProperties
      }
      String name = snake(component.getName());
      boolean nullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      properties.set(name, of(component.getGenericType()));
      if (!nullable
          && !DEFAULTED.getOrDefault(record.getSimpleName(), Set.of()).contains(name)
          && !component.getType().isPrimitive()) {
        required.add(name);
      } else if (component.getType().isPrimitive() && requiredNumber(record, name)) {
        required.add(name);
      }
    }
    schema.set("required", required);
    schema.put("additionalProperties", true);
    return schema;
  }

  /** Primitive fields that are required, since their absence would change the meaning. */
  private static boolean requiredNumber(Class<?> record, String name) {
    return name.equals("epoch")
        || (record == Heartbeat.class && (name.equals("interval_ms") || name.equals("timeout_ms")));
  }

  private static ObjectNode of(Type type) {
    if (type instanceof ParameterizedType generic) {
      Class<?> raw = (Class<?>) generic.getRawType();
      if (raw == List.class) {
        ObjectNode array = JSON.objectNode().put("type", "array");
        array.set("items", of(generic.getActualTypeArguments()[0]));
        return array;
      }
      if (raw == Map.class) {
        ObjectNode map = JSON.objectNode().put("type", "object");
        map.set("additionalProperties", of(generic.getActualTypeArguments()[1]));
        return map;
      }
    }
    if (!(type instanceof Class<?> plain)) {
      throw new IllegalArgumentException("no schema for " + type);
    }
    return of(plain);
  }

  private static ObjectNode of(Class<?> type) {
    ObjectNode schema = JSON.objectNode();
    if (type == String.class) {
      return schema.put("type", "string");
    }
    if (type == Instant.class) {
      return schema.put("type", "string").put("format", "date-time");
    }
    if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
      return schema.put("type", "integer");
    }
    if (type == double.class || type == BigDecimal.class) {
      return schema.put("type", "number");
    }
    if (type == boolean.class) {
      return schema.put("type", "boolean");
    }
    if (type == JsonNode.class) {
      return schema;
    }
    if (type == CheckpointTrigger.class) {
      ArrayNode words = schema.put("type", "string").putArray("enum");
      for (CheckpointTrigger trigger : CheckpointTrigger.values()) {
        words.add(trigger.word());
      }
      return schema;
    }
    if (type == Output.class) {
      ArrayNode forms = schema.putArray("oneOf");
      forms.add(object(Output.Inline.class));
      forms.add(object(Output.Ref.class));
      return schema;
    }
    if (type.isRecord()) {
      return object(type);
    }
    throw new IllegalArgumentException("no schema for " + type);
  }

  static String snake(String name) {
    return PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(name);
  }
}
