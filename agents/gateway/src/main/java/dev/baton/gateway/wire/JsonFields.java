/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads fields of JSON values, and writes values in a canonical order. */
final class JsonFields {
  /** Marks that agents move or leave out between two requests. */
  private static final Set<String> VOLATILE = Set.of("cache_control", "prompt_cache_key");

  private JsonFields() {}

  /** The data of an event as an object; null where it is not one. */
  static @Nullable ObjectNode object(SseEvent event) {
    if (!event.data().startsWith("{")) {
      return null;
    }
    try {
      return Json.mapper().readTree(event.data()) instanceof ObjectNode object ? object : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /**
   * The data of an event of an answer.
   *
   * @throws MalformedAnswerException when it is not an object
   */
  static ObjectNode required(SseEvent event) throws MalformedAnswerException {
    ObjectNode data = object(event);
    if (data == null) {
      throw new MalformedAnswerException("the data of an event is not a JSON object");
    }
    return data;
  }

  /**
   * The parts of a list of an answer; none where it is absent.
   *
   * @throws MalformedAnswerException when one is not an object: it could not be split into events
   */
  static List<ObjectNode> parts(JsonNode of, String list) throws MalformedAnswerException {
    List<ObjectNode> parts = new ArrayList<>();
    for (JsonNode part : of.path(list)) {
      if (!(part instanceof ObjectNode object)) {
        throw new MalformedAnswerException(list + ": a part is not a JSON object");
      }
      parts.add(object);
    }
    return parts;
  }

  /** The list of an object's field, which replaces a value of another type. */
  static ArrayNode listOf(ObjectNode object, String field) {
    return object.path(field) instanceof ArrayNode list ? list : object.putArray(field);
  }

  static SseEvent event(@Nullable String name, ObjectNode data) {
    return new SseEvent(name, text(data));
  }

  static String text(JsonNode value) {
    return new String(Json.bytes(value), java.nio.charset.StandardCharsets.UTF_8);
  }

  static ObjectNode newObject() {
    return Json.mapper().createObjectNode();
  }

  static ArrayNode newArray() {
    return Json.mapper().createArrayNode();
  }

  static String string(JsonNode value, String field) {
    return value.path(field).asText("");
  }

  static @Nullable String optional(JsonNode value, String field) {
    JsonNode found = value.path(field);
    return found.isTextual() && !found.textValue().isEmpty() ? found.textValue() : null;
  }

  /** A count of tokens; 0 where the field is absent. */
  static long count(JsonNode value, String field) throws MalformedAnswerException {
    JsonNode found = value.path(field);
    if (found.isMissingNode() || found.isNull()) {
      return 0;
    }
    if (!found.isNumber() || !found.canConvertToLong() || found.longValue() < 0) {
      throw new MalformedAnswerException("usage: " + field + " is not a count of tokens");
    }
    return found.longValue();
  }

  static @Nullable Long bound(JsonNode body, String... fields) throws InvalidRequestException {
    for (String field : fields) {
      JsonNode found = body.path(field);
      if (found.isMissingNode() || found.isNull()) {
        continue;
      }
      if (!found.isNumber() || !found.canConvertToLong() || found.longValue() < 0) {
        throw new InvalidRequestException(field + ": is not a number of tokens");
      }
      return found.longValue();
    }
    return null;
  }

  static String model(ObjectNode body) throws InvalidRequestException {
    String model = optional(body, "model");
    if (model == null) {
      throw new InvalidRequestException("model: is missing or not a text");
    }
    return model;
  }

  static boolean flag(ObjectNode body, String field) throws InvalidRequestException {
    JsonNode found = body.path(field);
    if (found.isMissingNode() || found.isNull()) {
      return false;
    }
    if (!found.isBoolean()) {
      throw new InvalidRequestException(field + ": is neither true nor false");
    }
    return found.booleanValue();
  }

  static ArrayNode array(ObjectNode body, String field) throws InvalidRequestException {
    if (body.path(field) instanceof ArrayNode array) {
      return array;
    }
    throw new InvalidRequestException(field + ": is missing or not a list");
  }

  /** Writes a value with sorted names and without marks of caches. */
  static String canonical(JsonNode value) {
    return text(sorted(value));
  }

  private static JsonNode sorted(JsonNode value) {
    if (value instanceof ObjectNode object) {
      TreeMap<String, JsonNode> fields = new TreeMap<>();
      object
          .properties()
          .forEach(
              field -> {
                if (!VOLATILE.contains(field.getKey())) {
                  fields.put(field.getKey(), sorted(field.getValue()));
                }
              });
      ObjectNode copy = newObject();
      copy.setAll(fields);
      return copy;
    }
    if (value instanceof ArrayNode array) {
      ArrayNode copy = newArray();
      array.forEach(element -> copy.add(sorted(element)));
      return copy;
    }
    return value;
  }

  /** JSON text as a value; the text itself where it is not JSON. */
  static String canonicalText(String json) {
    try {
      JsonNode value = Json.mapper().readTree(json);
      return value.isContainerNode() ? canonical(value) : json;
    } catch (JsonProcessingException e) {
      return json;
    }
  }
}
