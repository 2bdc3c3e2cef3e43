/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds values that would change, or could not be read, after they were written to the log: numbers
 * beyond the bounds, unpaired surrogates, and nesting too deep for readers.
 */
public final class JsonValueChecker {
  /** Maximum nesting of arrays and objects. Readers accept 1,000 levels, envelopes included. */
  public static final int MAX_DEPTH = 500;

  private JsonValueChecker() {}

  private record At(JsonNode node, int depth) {}

  /**
   * Returns the first problem as a phrase that follows "it has"; null when the value can be stored.
   */
  public static @Nullable String problem(JsonNode value) {
    ArrayDeque<At> open = new ArrayDeque<>();
    open.push(new At(value, 1));
    while (!open.isEmpty()) {
      At at = open.pop();
      JsonNode node = at.node();
      if (!node.isContainerNode()) {
        String problem = ofScalar(node);
        if (problem != null) {
          return problem;
        }
        continue;
      }
      if (node instanceof LazyJsonContainer) {
        continue; // It was checked when it was stored.
      }
      if (at.depth() > MAX_DEPTH) {
        return "more than " + MAX_DEPTH + " levels";
      }
      if (node.isObject()) {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          if (!isWellFormed(member.getKey())) {
            return "half of a surrogate pair in a name";
          }
          open.push(new At(member.getValue(), at.depth() + 1));
        }
      } else {
        node.forEach(element -> open.push(new At(element, at.depth() + 1)));
      }
    }
    return null;
  }

  private static @Nullable String ofScalar(JsonNode node) {
    if (node.isTextual() && !isWellFormed(node.textValue())) {
      return "half of a surrogate pair in a string";
    }
    if (node.isNumber() && !ExactNumberNodeFactory.isWithin(node)) {
      return "a number with more than "
          + ExactNumberNodeFactory.MAX_DIGITS
          + " digits or beyond 1e±"
          + ExactNumberNodeFactory.MAX_EXPONENT;
    }
    return null;
  }

  private static boolean isWellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }
}
