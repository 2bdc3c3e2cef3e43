/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates JSON number nodes that keep their value over any number of writes and reads: a double
 * where the double's shortest text is the same number, otherwise a decimal. Negative zero becomes
 * zero.
 */
public final class ExactNumberNodeFactory extends JsonNodeFactory {
  /** Maximum number of digits. */
  public static final int MAX_DIGITS = 1_000;

  /** Maximum exponent: a number other than 0 is between 1e-{@value} and 1e{@value}. */
  public static final int MAX_EXPONENT = 10_000;

  private static final long serialVersionUID = 1L;

  /** For a mapper that reads fractions as {@link BigDecimal}. */
  public static final ExactNumberNodeFactory FACTORY = new ExactNumberNodeFactory();

  private ExactNumberNodeFactory() {}

  @Override
  public ValueNode numberNode(@Nullable BigDecimal number) {
    return number == null ? nullNode() : of(number);
  }

  /** Returns the node of a decimal number. Does not check its size, see {@link #isWithin}. */
  public static ValueNode of(BigDecimal number) {
    double nearest = number.doubleValue();
    if (!Double.isInfinite(nearest)
        && new BigDecimal(Double.toString(nearest)).compareTo(number) == 0) {
      return DoubleNode.valueOf(nearest == 0 ? 0.0 : nearest);
    }
    // Such as 9007199254740993e0, which is written without the exponent and read as an integer.
    return number.scale() == 0 ? of(number.unscaledValue()) : DecimalNode.valueOf(number);
  }

  /** Returns the node of an integer, of the same type as a parser's. */
  public static ValueNode of(long number) {
    return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
  }

  /** Returns the node of an integer, of the same type as a parser's. */
  public static ValueNode of(BigInteger number) {
    return number.bitLength() < Long.SIZE ? of(number.longValue()) : BigIntegerNode.valueOf(number);
  }

  /** Whether a number can be stored: finite and within the bounds. */
  public static boolean isWithin(JsonNode number) {
    if (number.isBigDecimal()) {
      return isWithin(number.decimalValue());
    }
    if (number.isBigInteger()) {
      // Three decimal digits take about ten bits.
      return number.bigIntegerValue().bitLength() <= MAX_DIGITS * 10L / 3;
    }
    return !(number.isDouble() || number.isFloat()) || Double.isFinite(number.doubleValue());
  }

  private static boolean isWithin(BigDecimal number) {
    long exponent = (long) number.precision() - number.scale() - 1;
    return number.precision() <= MAX_DIGITS
        && (number.signum() == 0 || Math.abs(exponent) <= MAX_EXPONENT)
        && Math.abs((long) number.scale()) <= MAX_EXPONENT + MAX_DIGITS;
  }
}
