/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.baton.protocol.json.ExactNumberNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses numbers in JSON's syntax, in the same way for both formats, so that both have the same
 * hash.
 */
final class JsonNumberParser {
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final int MAX_DIGITS = 100;

  /** What {@link #parse} accepts, for messages. */
  static final String ALLOWED =
      "numbers of at most %d characters within 1e%d"
          .formatted(MAX_DIGITS, ExactNumberNodeFactory.MAX_EXPONENT);

  private JsonNumberParser() {}

  static boolean isNumber(String text) {
    return text.length() <= 10_000 && NUMBER.matcher(text).matches();
  }

  /** Returns null when the number is too long or too large. */
  static @Nullable JsonNode parse(String text) {
    if (text.length() > MAX_DIGITS) {
      return null;
    }
    if (text.chars().allMatch(c -> c == '-' || Character.isDigit(c))) {
      BigInteger value = new BigInteger(text);
      if (value.bitLength() > 63) {
        return BigIntegerNode.valueOf(value);
      }
      long small = value.longValueExact();
      return small == (int) small ? IntNode.valueOf((int) small) : LongNode.valueOf(small);
    }
    try {
      JsonNode value = ExactNumberNodeFactory.of(new BigDecimal(text));
      return ExactNumberNodeFactory.isWithin(value) ? value : null;
    } catch (NumberFormatException exponentTooLarge) {
      return null;
    }
  }
}
