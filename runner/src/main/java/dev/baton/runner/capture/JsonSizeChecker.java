/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Checks a value's size as JSON by an upper bound, without writing it: most outputs are far below
 * every limit.
 */
final class JsonSizeChecker {
  private static final int NUMBER = 32;
  private static final int BYTES_PER_CHAR = 6;

  private long left;

  private JsonSizeChecker(long limit) {
    left = limit;
  }

  /** Also returns false for some values that are slightly smaller than the limit. */
  static boolean isAtMost(JsonNode value, int limit) {
    JsonSizeChecker size = new JsonSizeChecker(limit);
    size.take(value);
    return size.left >= 0;
  }

  private void take(JsonNode value) {
    if (left < 0) {
      return;
    }
    switch (value.getNodeType()) {
      case STRING -> left -= 2 + (long) BYTES_PER_CHAR * value.textValue().length();
      case ARRAY -> {
        left -= 2;
        for (JsonNode item : value) {
          left--;
          take(item);
          if (left < 0) {
            return;
          }
        }
      }
      case OBJECT -> {
        left -= 2;
        for (Map.Entry<String, JsonNode> member : value.properties()) {
          left -= 4 + (long) BYTES_PER_CHAR * member.getKey().length();
          take(member.getValue());
          if (left < 0) {
            return;
          }
        }
      }
      case NUMBER ->
          left -= value.isBigDecimal() || value.isBigInteger() ? value.asText().length() : NUMBER;
      case BINARY, BOOLEAN, MISSING, NULL, POJO -> left -= NUMBER;
    }
  }
}
