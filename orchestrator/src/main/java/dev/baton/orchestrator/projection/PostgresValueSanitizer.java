/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Limits values of foreign programs to the ranges of Postgres' types: text without NUL, timestamps
 * up to the year 294276 and without a sign before the year.
 */
final class PostgresValueSanitizer {
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");
  private static final String NUL_IN_JSON = "\\u0000";

  private PostgresValueSanitizer() {}

  static @Nullable String text(@Nullable Instant time) {
    if (time == null) {
      return null;
    }
    return (time.isBefore(FIRST) ? FIRST : time.isAfter(LAST) ? LAST : time).toString();
  }

  /** Returns the node as JSON without NUL in texts and names; null for null. */
  static @Nullable String json(@Nullable JsonNode node) {
    if (node == null) {
      return null;
    }
    String json = node.toString();
    return json.contains(NUL_IN_JSON) ? clean(node).toString() : json;
  }

  /** The same for serialized JSON, which is parsed only if it contains a NUL. */
  static String json(byte[] written) {
    String json = new String(written, StandardCharsets.UTF_8);
    return json.contains(NUL_IN_JSON) ? clean(Json.tree(written)).toString() : json;
  }

  private static JsonNode clean(JsonNode node) {
    if (node.isTextual()) {
      return TextNode.valueOf(clean(node.textValue()));
    }
    if (node.isObject()) {
      ObjectNode cleaned = Json.mapper().createObjectNode();
      node.properties()
          .forEach(field -> cleaned.set(clean(field.getKey()), clean(field.getValue())));
      return cleaned;
    }
    if (node.isArray()) {
      ArrayNode cleaned = Json.mapper().createArrayNode();
      node.forEach(item -> cleaned.add(clean(item)));
      return cleaned;
    }
    return node;
  }

  private static String clean(String text) {
    return text.replace("\0", "");
  }
}
