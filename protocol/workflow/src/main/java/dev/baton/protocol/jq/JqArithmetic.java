/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import dev.baton.protocol.json.ExactNumberNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Arithmetic as in jq: exact for 64-bit integers, with doubles for all others. Numbers that are
 * only passed on or compared keep all their digits.
 */
final class JqArithmetic {
  private static final double BEYOND_LONG = 0x1p63;

  private JqArithmetic() {}

  /**
   * Returns the node of a result; integral values become integers, and negative zero becomes zero.
   */
  static JsonNode of(double number) {
    if (number == Math.rint(number) && Math.abs(number) < BEYOND_LONG) {
      return ExactNumberNodeFactory.of((long) number);
    }
    return DoubleNode.valueOf(number);
  }

  static JsonNode of(long number) {
    return ExactNumberNodeFactory.of(number);
  }

  /**
   * Parses a number in a program or a text.
   *
   * @throws JqSyntaxException beyond the bounds of {@link ExactNumberNodeFactory}
   */
  static JsonNode literal(JqToken token) {
    try {
      JsonNode number = parse(token.text());
      if (ExactNumberNodeFactory.isWithin(number)) {
        return number;
      }
    } catch (NumberFormatException tooLarge) {
      // Such as an exponent of more than ten digits.
    }
    throw new JqSyntaxException("the number is out of range", token.offset());
  }

  /**
   * @throws NumberFormatException when the text is not a decimal number or has too many digits
   */
  static JsonNode parse(String text) {
    if (text.length() > ExactNumberNodeFactory.MAX_DIGITS + 20) {
      throw new NumberFormatException("too long");
    }
    boolean whole = text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
    return whole
        ? ExactNumberNodeFactory.of(new BigInteger(text))
        : ExactNumberNodeFactory.of(new BigDecimal(text));
  }

  static boolean isLong(JsonNode number) {
    return number.isInt() || number.isLong();
  }

  static JsonNode plus(JsonNode a, JsonNode b) {
    if (isLong(a) && isLong(b)) {
      long x = a.longValue();
      long y = b.longValue();
      long sum = x + y;
      if (((x ^ sum) & (y ^ sum)) >= 0) {
        return of(sum);
      }
    }
    return of(a.doubleValue() + b.doubleValue());
  }

  static JsonNode minus(JsonNode a, JsonNode b) {
    if (isLong(a) && isLong(b)) {
      long x = a.longValue();
      long y = b.longValue();
      long difference = x - y;
      if (((x ^ y) & (x ^ difference)) >= 0) {
        return of(difference);
      }
    }
    return of(a.doubleValue() - b.doubleValue());
  }

  static JsonNode times(JsonNode a, JsonNode b) {
    if (isLong(a) && isLong(b)) {
      long x = a.longValue();
      long y = b.longValue();
      long high = Math.multiplyHigh(x, y);
      long low = x * y;
      if ((high == 0 && low >= 0) || (high == -1 && low < 0)) {
        return of(low);
      }
    }
    return of(a.doubleValue() * b.doubleValue());
  }

  static JsonNode divide(JsonNode a, JsonNode b) {
    if (isLong(a)
        && isLong(b)
        && b.longValue() != 0
        && b.longValue() != -1
        && a.longValue() % b.longValue() == 0) {
      return of(a.longValue() / b.longValue());
    }
    return of(a.doubleValue() / b.doubleValue());
  }

  static JsonNode negate(JsonNode a) {
    if (isLong(a) && a.longValue() != Long.MIN_VALUE) {
      return of(-a.longValue());
    }
    if (a.isBigInteger()) {
      return ExactNumberNodeFactory.of(a.bigIntegerValue().negate());
    }
    if (a.isBigDecimal()) {
      return ExactNumberNodeFactory.of(a.decimalValue().negate());
    }
    return of(-a.doubleValue());
  }

  static int compare(JsonNode a, JsonNode b) {
    if (isLong(a) && isLong(b)) {
      return Long.compare(a.longValue(), b.longValue());
    }
    double x = a.doubleValue();
    double y = b.doubleValue();
    if (Double.isNaN(x)) {
      return -1;
    }
    if (Double.isNaN(y)) {
      return 1;
    }
    boolean doubles = a.isDouble() && b.isDouble();
    if (doubles || Double.isInfinite(x) && a.isDouble() || Double.isInfinite(y) && b.isDouble()) {
      return x < y ? -1 : x > y ? 1 : 0;
    }
    return decimal(a).compareTo(decimal(b));
  }

  /** The shortest text of a double, the exact value of other numbers. */
  private static BigDecimal decimal(JsonNode number) {
    return number.isDouble()
        ? new BigDecimal(Double.toString(number.doubleValue()))
        : number.decimalValue();
  }

  /** Formats a number as {@code tostring} does: NaN as null, infinities as the largest doubles. */
  static String text(JsonNode number) {
    if (!number.isDouble() && !number.isFloat()) {
      return number.asText();
    }
    double d = number.doubleValue();
    if (Double.isNaN(d)) {
      return "null";
    }
    if (Double.isInfinite(d)) {
      return d > 0 ? "1.7976931348623157e+308" : "-1.7976931348623157e+308";
    }
    BigDecimal decimal = new BigDecimal(Double.toString(d)).stripTrailingZeros();
    int exponent = decimal.precision() - decimal.scale() - 1;
    if (d == 0) {
      return "0";
    }
    if (exponent >= -5 && exponent < 17) {
      return decimal.toPlainString();
    }
    String digits = decimal.unscaledValue().abs().toString();
    StringBuilder out = new StringBuilder();
    if (d < 0) {
      out.append('-');
    }
    out.append(digits.charAt(0));
    if (digits.length() > 1) {
      out.append('.').append(digits, 1, digits.length());
    }
    out.append('e').append(exponent < 0 ? '-' : '+');
    int size = Math.abs(exponent);
    return out.append(size < 10 ? "0" : "").append(size).toString();
  }
}
