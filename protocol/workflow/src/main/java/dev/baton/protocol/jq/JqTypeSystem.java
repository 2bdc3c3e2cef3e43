/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/** Types, truth, order and copies of values. */
final class JqTypeSystem {
  private JqTypeSystem() {}

  static String type(JsonNode value) {
    return switch (value.getNodeType()) {
      case NULL, MISSING -> "null";
      case BOOLEAN -> "boolean";
      case NUMBER -> "number";
      case STRING, BINARY -> "string";
      case ARRAY -> "array";
      case OBJECT, POJO -> "object";
    };
  }

  static boolean isTrue(JsonNode value) {
    return !(value.isNull() || (value.isBoolean() && !value.booleanValue()));
  }

  static JsonNode text(String text) {
    return TextNode.valueOf(text);
  }

  static JsonNode bool(boolean value) {
    return BooleanNode.valueOf(value);
  }

  static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }

  static ArrayNode array(int size) {
    return new ArrayNode(JsonNodeFactory.instance, size);
  }

  static ObjectNode object() {
    return new ObjectNode(JsonNodeFactory.instance);
  }

  /** Returns a shallow copy. */
  static ArrayNode copy(JqEvaluator m, ArrayNode array) {
    m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * array.size());
    ArrayNode copy = array(array.size() + 1);
    copy.addAll(array);
    return copy;
  }

  /** Returns a shallow copy. */
  static ObjectNode copy(JqEvaluator m, ObjectNode object) {
    m.charge(JqMemoryEstimator.OBJECT + (long) JqMemoryEstimator.MEMBER * object.size());
    ObjectNode copy = object();
    copy.setAll(object);
    return copy;
  }

  /**
   * Compares in jq's order: null, false, true, numbers, strings by code points, arrays, objects.
   */
  static int compare(JqEvaluator m, JsonNode a, JsonNode b) {
    m.tick();
    int byType = rank(a) - rank(b);
    if (byType != 0 || a == b && !a.isNumber()) {
      return byType;
    }
    return switch (a.getNodeType()) {
      case NUMBER -> JqArithmetic.compare(a, b);
      case STRING -> compareText(a.textValue(), b.textValue());
      case ARRAY -> compareArrays(m, a, b);
      case OBJECT -> compareObjects(m, a, b);
      case NULL, MISSING, BOOLEAN, BINARY, POJO -> 0;
    };
  }

  static boolean same(JqEvaluator m, JsonNode a, JsonNode b) {
    return compare(m, a, b) == 0;
  }

  static Comparator<JsonNode> order(JqEvaluator m) {
    return (a, b) -> compare(m, a, b);
  }

  private static int rank(JsonNode value) {
    return switch (value.getNodeType()) {
      case NULL, MISSING -> 0;
      case BOOLEAN -> value.booleanValue() ? 2 : 1;
      case NUMBER -> 3;
      case STRING, BINARY -> 4;
      case ARRAY -> 5;
      case OBJECT, POJO -> 6;
    };
  }

  static int compareText(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean xPair = Character.isSurrogate(x);
        return xPair == Character.isSurrogate(y) ? x - y : xPair ? 1 : -1;
      }
    }
    return a.length() - b.length();
  }

  private static int compareArrays(JqEvaluator m, JsonNode a, JsonNode b) {
    int size = Math.min(a.size(), b.size());
    for (int i = 0; i < size; i++) {
      int order = compare(m, a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return a.size() - b.size();
  }

  private static int compareObjects(JqEvaluator m, JsonNode a, JsonNode b) {
    List<String> names = sortedNames(m, a);
    List<String> others = sortedNames(m, b);
    int size = Math.min(names.size(), others.size());
    for (int i = 0; i < size; i++) {
      int order = compareText(names.get(i), others.get(i));
      if (order != 0) {
        return order;
      }
    }
    if (names.size() != others.size()) {
      return names.size() - others.size();
    }
    for (String name : names) {
      int order = compare(m, a.get(name), b.get(name));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  static List<String> sortedNames(JqEvaluator m, JsonNode object) {
    m.charge((long) JqMemoryEstimator.ELEMENT * object.size());
    List<String> names = new ArrayList<>(object.size());
    for (Iterator<String> all = object.fieldNames(); all.hasNext(); ) {
      names.add(all.next());
    }
    names.sort(
        (x, y) -> {
          m.tick();
          return compareText(x, y);
        });
    return names;
  }

  /** Returns the elements in stable sorted order. */
  static List<JsonNode> sorted(JqEvaluator m, JsonNode array) {
    m.charge((long) JqMemoryEstimator.ELEMENT * array.size());
    List<JsonNode> all = new ArrayList<>(array.size());
    array.forEach(all::add);
    sort(m, all, order(m));
    return all;
  }

  /** Sorts although NaN is less than itself, which Java's sort may report as an error. */
  static <T> void sort(JqEvaluator m, List<T> all, Comparator<T> order) {
    try {
      all.sort(order);
    } catch (IllegalArgumentException inconsistent) {
      m.tick();
    }
  }

  /** Returns the offset in Java chars of a code point, at most the length. */
  static int offset(String text, int codePoint) {
    int length = text.length();
    if (codePoint >= length) {
      return length;
    }
    int at = 0;
    for (int i = 0; i < codePoint && at < length; i++) {
      boolean pair =
          Character.isHighSurrogate(text.charAt(at))
              && at + 1 < length
              && Character.isLowSurrogate(text.charAt(at + 1));
      at += pair ? 2 : 1;
    }
    return at;
  }

  static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
