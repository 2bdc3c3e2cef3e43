/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeSet;

/** The binary operators on values. */
final class JqOperatorLibrary {
  private JqOperatorLibrary() {}

  /** Returns an operator by its text; assignments excluded. */
  static JqNativeCallFilter.Function of(String operator) {
    return switch (operator) {
      case "+" -> (m, in, a) -> plus(m, a[0], a[1]);
      case "-" -> (m, in, a) -> minus(m, a[0], a[1]);
      case "*" -> (m, in, a) -> times(m, a[0], a[1]);
      case "/" -> (m, in, a) -> divide(m, a[0], a[1]);
      case "%" -> (m, in, a) -> modulo(a[0], a[1]);
      case "==" -> (m, in, a) -> JqTypeSystem.bool(JqTypeSystem.same(m, a[0], a[1]));
      case "!=" -> (m, in, a) -> JqTypeSystem.bool(!JqTypeSystem.same(m, a[0], a[1]));
      case "<" -> (m, in, a) -> JqTypeSystem.bool(JqTypeSystem.compare(m, a[0], a[1]) < 0);
      case "<=" -> (m, in, a) -> JqTypeSystem.bool(JqTypeSystem.compare(m, a[0], a[1]) <= 0);
      case ">" -> (m, in, a) -> JqTypeSystem.bool(JqTypeSystem.compare(m, a[0], a[1]) > 0);
      case ">=" -> (m, in, a) -> JqTypeSystem.bool(JqTypeSystem.compare(m, a[0], a[1]) >= 0);
      default -> throw new IllegalArgumentException(operator);
    };
  }

  static JsonNode plus(JqEvaluator m, JsonNode a, JsonNode b) {
    if (a.isNull()) {
      return b;
    }
    if (b.isNull()) {
      return a;
    }
    if (a.isNumber() && b.isNumber()) {
      return JqArithmetic.plus(a, b);
    }
    if (a.isTextual() && b.isTextual()) {
      m.charge(JqMemoryEstimator.text((long) a.textValue().length() + b.textValue().length()));
      return JqTypeSystem.text(a.textValue() + b.textValue());
    }
    if (a instanceof ArrayNode left && b instanceof ArrayNode right) {
      m.charge(
          JqMemoryEstimator.ARRAY
              + (long) JqMemoryEstimator.ELEMENT * (left.size() + right.size()));
      return JqTypeSystem.array(left.size() + right.size()).addAll(left).addAll(right);
    }
    if (a instanceof ObjectNode left && b instanceof ObjectNode right) {
      ObjectNode sum = JqTypeSystem.copy(m, left);
      m.charge((long) JqMemoryEstimator.MEMBER * right.size());
      sum.setAll(right);
      return sum;
    }
    throw cannot(a, b, "added");
  }

  static JsonNode minus(JqEvaluator m, JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return JqArithmetic.minus(a, b);
    }
    if (a.isArray() && b.isArray()) {
      TreeSet<JsonNode> gone = new TreeSet<>(JqTypeSystem.order(m));
      m.charge((long) JqMemoryEstimator.MEMBER * b.size());
      b.forEach(gone::add);
      ArrayNode left = JqTypeSystem.array();
      for (JsonNode element : a) {
        if (!gone.contains(element)) {
          m.charge(JqMemoryEstimator.ELEMENT);
          left.add(element);
        }
      }
      return left;
    }
    throw cannot(a, b, "subtracted");
  }

  static JsonNode times(JqEvaluator m, JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return JqArithmetic.times(a, b);
    }
    if (a.isTextual() && b.isNumber()) {
      return repeat(m, a.textValue(), b.doubleValue());
    }
    if (a.isNumber() && b.isTextual()) {
      return repeat(m, b.textValue(), a.doubleValue());
    }
    if (a instanceof ObjectNode left && b instanceof ObjectNode right) {
      return merge(m, left, right);
    }
    throw cannot(a, b, "multiplied");
  }

  private static JsonNode repeat(JqEvaluator m, String text, double times) {
    if (Double.isNaN(times) || times < 0) {
      return JqEvaluator.NULL;
    }
    double count = Math.floor(times);
    if (text.isEmpty() || count == 0) {
      return JqTypeSystem.text("");
    }
    double length = count * text.length();
    m.charge(JqMemoryEstimator.text((long) Math.min(length, Integer.MAX_VALUE * 4.0)));
    if (length > Integer.MAX_VALUE - 8) {
      throw new JqException("Repeat string result too long");
    }
    return JqTypeSystem.text(text.repeat((int) count));
  }

  private static ObjectNode merge(JqEvaluator m, ObjectNode a, ObjectNode b) {
    ObjectNode sum = JqTypeSystem.copy(m, a);
    m.charge((long) JqMemoryEstimator.MEMBER * b.size());
    for (Map.Entry<String, JsonNode> member : b.properties()) {
      JsonNode before = sum.get(member.getKey());
      sum.set(
          member.getKey(),
          before instanceof ObjectNode left && member.getValue() instanceof ObjectNode right
              ? merge(m, left, right)
              : member.getValue());
    }
    return sum;
  }

  static JsonNode divide(JqEvaluator m, JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      if (b.doubleValue() == 0) {
        throw cannot(a, b, "divided because the divisor is zero");
      }
      return JqArithmetic.divide(a, b);
    }
    if (a.isTextual() && b.isTextual()) {
      return JqStringLibrary.split(m, a.textValue(), b.textValue());
    }
    throw cannot(a, b, "divided");
  }

  static JsonNode modulo(JsonNode a, JsonNode b) {
    if (!a.isNumber() || !b.isNumber()) {
      throw cannot(a, b, "divided");
    }
    double x = a.doubleValue();
    double y = b.doubleValue();
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return DoubleNode.valueOf(Double.NaN);
    }
    // A cast limits values beyond 64 bits to the largest 64-bit number, as in jq.
    long left = JqArithmetic.isLong(a) ? a.longValue() : (long) x;
    long right = JqArithmetic.isLong(b) ? b.longValue() : (long) y;
    if (right == 0) {
      throw cannot(a, b, "divided (remainder) because the divisor is zero");
    }
    return JqArithmetic.of(right == -1 || right == 1 ? 0 : left % Math.abs(right));
  }

  private static JqException cannot(JsonNode a, JsonNode b, String what) {
    return new JqException(shown(a) + " and " + shown(b) + " cannot be " + what);
  }

  static String shown(JsonNode value) {
    return JqTypeSystem.type(value)
        + " ("
        + JqJsonWriter.shortened(value, JqAccessFilter.SHOWN)
        + ")";
  }
}
