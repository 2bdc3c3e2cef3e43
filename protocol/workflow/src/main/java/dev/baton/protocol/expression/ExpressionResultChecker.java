/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ExpressionException.Reason;
import dev.baton.protocol.json.ExactNumberNodeFactory;
import java.util.ArrayDeque;
import java.util.Map;

/**
 * Checks the bounds of a result, and that it is valid JSON: jq has NaN and infinity, JSON does not.
 */
final class ExpressionResultChecker {
  static final int MAX_DEPTH = 500;

  private ExpressionResultChecker() {}

  static void check(String expression, JsonNode result) {
    if (result.isContainerNode()) {
      checkTree(expression, result);
    } else {
      long size = checkScalar(expression, result);
      if (size > Expression.MAX_RESULT_CHARS) {
        throw tooLarge(expression);
      }
    }
  }

  private record At(JsonNode node, int depth) {}

  private static void checkTree(String expression, JsonNode result) {
    long size = 0;
    ArrayDeque<At> open = new ArrayDeque<>();
    open.push(new At(result, 1));
    while (!open.isEmpty()) {
      At at = open.pop();
      if (at.depth() > MAX_DEPTH) {
        throw new ExpressionException(
            Reason.TOO_LARGE, expression, "the result is nested more than " + MAX_DEPTH + " deep");
      }
      size += 2;
      if (at.node().isObject()) {
        for (Map.Entry<String, JsonNode> entry : at.node().properties()) {
          size += entry.getKey().length() + 4;
          size += visit(expression, open, entry.getValue(), at.depth());
        }
      } else {
        for (JsonNode element : at.node()) {
          size += 1 + visit(expression, open, element, at.depth());
        }
      }
      if (size > Expression.MAX_RESULT_CHARS) {
        throw tooLarge(expression);
      }
    }
  }

  private static long visit(String expression, ArrayDeque<At> open, JsonNode node, int depth) {
    if (node.isContainerNode()) {
      open.push(new At(node, depth + 1));
      return 0;
    }
    return checkScalar(expression, node);
  }

  private static long checkScalar(String expression, JsonNode node) {
    if (node.isTextual()) {
      return node.textValue().length() + 2L;
    }
    if (node.isNumber() && !ExactNumberNodeFactory.isWithin(node)) {
      boolean infinite = node.isDouble() || node.isFloat();
      throw new ExpressionException(
          Reason.EVALUATION,
          expression,
          infinite
              ? "the result contains " + node.doubleValue() + ", which is not a JSON number"
              : "the result contains a number that is out of range");
    }
    return 1;
  }

  private static ExpressionException tooLarge(String expression) {
    return new ExpressionException(
        Reason.TOO_LARGE,
        expression,
        "the result has more than " + Expression.MAX_RESULT_CHARS + " characters of JSON");
  }
}
