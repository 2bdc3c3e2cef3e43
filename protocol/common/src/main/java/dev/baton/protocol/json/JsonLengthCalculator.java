/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Computes the length of a value as UTF-8 JSON without writing it. Exact except for unusual
 * escapes, where the result is a few bytes too large.
 */
public final class JsonLengthCalculator {
  private static final int ESCAPE = 6;

  private JsonLengthCalculator() {}

  /** Returns the length in bytes, at most {@link Integer#MAX_VALUE}. */
  public static int of(JsonNode value) {
    return (int) Math.min(measure(value), Integer.MAX_VALUE);
  }

  private static long measure(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> text(value.textValue());
      case ARRAY -> {
        long size = 1 + Math.max(1, value.size());
        for (JsonNode item : value) {
          size += measure(item);
        }
        yield size;
      }
      case OBJECT -> {
        long size = 1 + Math.max(1, value.size());
        for (Map.Entry<String, JsonNode> member : value.properties()) {
          size += text(member.getKey()) + 1 + measure(member.getValue());
        }
        yield size;
      }
      case NUMBER, BOOLEAN, NULL, MISSING -> value.asText("null").length();
      case BINARY, POJO -> Json.bytes(value).length;
    };
  }

  private static long text(String text) {
    long size = 2L + text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        size += ESCAPE - 1;
      } else if (c == '"' || c == '\\') {
        size++;
      } else if (c >= 0x80) {
        // Jackson writes both halves of a surrogate pair as escapes.
        size += Character.isSurrogate(c) ? ESCAPE - 1 : c < 0x800 ? 1 : 2;
      }
    }
    return size;
  }
}
