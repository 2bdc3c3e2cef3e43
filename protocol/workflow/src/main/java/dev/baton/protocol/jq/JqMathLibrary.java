/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Functions on numbers. */
final class JqMathLibrary {
  private static final double LN2 = Math.log(2);

  private JqMathLibrary() {}

  static void addTo(Map<String, JqNativeCallFilter.Function> all) {
    addUnary(all);
    addBinary(all);
    all.put("infinite/0", (m, in, a) -> JqArithmetic.of(Double.POSITIVE_INFINITY));
    all.put("nan/0", (m, in, a) -> JqArithmetic.of(Double.NaN));
    all.put(
        "isinfinite/0",
        (m, in, a) ->
            JqTypeSystem.bool(in.isDouble() && Double.isInfinite(number(in, "isinfinite"))));
    all.put("isnan/0", (m, in, a) -> JqTypeSystem.bool(Double.isNaN(number(in, "isnan"))));
    all.put(
        "isfinite/0",
        (m, in, a) -> JqTypeSystem.bool(in.isNumber() && !Double.isInfinite(in.doubleValue())));
    all.put(
        "isnormal/0",
        (m, in, a) -> {
          double d = number(in, "isnormal");
          return JqTypeSystem.bool(Double.isFinite(d) && Math.abs(d) >= Double.MIN_NORMAL);
        });
    all.put("abs/0", JqMathLibrary::abs);
    all.put("floor/0", (m, in, a) -> rounded(in, "floor", Math::floor));
    all.put("ceil/0", (m, in, a) -> rounded(in, "ceil", Math::ceil));
    all.put("round/0", (m, in, a) -> rounded(in, "round", JqMathLibrary::round));
    all.put(
        "trunc/0", (m, in, a) -> rounded(in, "trunc", d -> d < 0 ? Math.ceil(d) : Math.floor(d)));
    all.put("rint/0", (m, in, a) -> rounded(in, "rint", Math::rint));
    all.put("nearbyint/0", (m, in, a) -> rounded(in, "nearbyint", Math::rint));
    all.put(
        "frexp/0",
        (m, in, a) -> {
          double d = number(in, "frexp");
          int exponent =
              d == 0 || !Double.isFinite(d) ? 0 : Math.getExponent(d * 0x1p53 / 0x1p53) + 1;
          if (d != 0 && Math.abs(d) < Double.MIN_NORMAL) {
            exponent = Math.getExponent(d * 0x1p54) + 1 - 54;
          }
          double mantissa =
              Double.isFinite(d)
                  ? Math.scalb(Math.scalb(d, -exponent / 2), -exponent + exponent / 2)
                  : d;
          return JqTypeSystem.array(2)
              .add(JqArithmetic.of(mantissa))
              .add(JqArithmetic.of(exponent));
        });
    all.put(
        "modf/0",
        (m, in, a) -> {
          double d = number(in, "modf");
          double whole = d < 0 ? Math.ceil(d) : Math.floor(d);
          double rest = Double.isInfinite(d) ? 0 : d - whole;
          return JqTypeSystem.array(2).add(JqArithmetic.of(rest)).add(JqArithmetic.of(whole));
        });
    all.put(
        "fma/3",
        (m, in, a) ->
            JqArithmetic.of(
                Math.fma(number(a[0], "fma"), number(a[1], "fma"), number(a[2], "fma"))));
  }

  private static void addUnary(Map<String, JqNativeCallFilter.Function> all) {
    unary(all, "sqrt", Math::sqrt);
    unary(all, "cbrt", Math::cbrt);
    unary(all, "fabs", Math::abs);
    unary(all, "exp", Math::exp);
    unary(all, "exp2", d -> Math.pow(2, d));
    unary(all, "exp10", d -> Math.pow(10, d));
    unary(all, "pow10", d -> Math.pow(10, d));
    unary(all, "expm1", Math::expm1);
    unary(all, "log", Math::log);
    unary(all, "log2", JqMathLibrary::log2);
    unary(all, "log10", Math::log10);
    unary(all, "log1p", Math::log1p);
    unary(all, "logb", d -> d == 0 ? Double.NEGATIVE_INFINITY : Math.getExponent(d));
    unary(
        all,
        "significand",
        d -> d == 0 || !Double.isFinite(d) ? d : d / Math.pow(2, Math.getExponent(d)));
    unary(all, "sin", Math::sin);
    unary(all, "cos", Math::cos);
    unary(all, "tan", Math::tan);
    unary(all, "asin", Math::asin);
    unary(all, "acos", Math::acos);
    unary(all, "atan", Math::atan);
    unary(all, "sinh", Math::sinh);
    unary(all, "cosh", Math::cosh);
    unary(all, "tanh", Math::tanh);
    unary(all, "asinh", d -> Math.signum(d) * Math.log(Math.abs(d) + Math.sqrt(d * d + 1)));
    unary(all, "acosh", d -> Math.log(d + Math.sqrt(d * d - 1)));
    unary(all, "atanh", d -> 0.5 * Math.log((1 + d) / (1 - d)));
  }

  private static void addBinary(Map<String, JqNativeCallFilter.Function> all) {
    binary(all, "pow", Math::pow);
    binary(all, "atan2", Math::atan2);
    binary(all, "fmin", (x, y) -> Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.min(x, y));
    binary(all, "fmax", (x, y) -> Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.max(x, y));
    binary(all, "fmod", (x, y) -> x % y);
    binary(all, "fdim", (x, y) -> x > y ? x - y : 0);
    binary(all, "hypot", Math::hypot);
    binary(all, "copysign", Math::copySign);
    binary(all, "drem", Math::IEEEremainder);
    binary(all, "remainder", Math::IEEEremainder);
    binary(all, "nextafter", Math::nextAfter);
    binary(all, "nexttoward", Math::nextAfter);
    binary(all, "ldexp", (x, e) -> Math.scalb(x, exponent(e)));
    binary(all, "scalb", (x, e) -> Math.scalb(x, exponent(e)));
    binary(all, "scalbln", (x, e) -> Math.scalb(x, exponent(e)));
  }

  private static int exponent(double d) {
    return (int) Math.clamp(d, -5_000, 5_000);
  }

  private static double log2(double d) {
    double whole = Math.rint(Math.log(d) / LN2);
    return Math.pow(2, whole) == d ? whole : Math.log(d) / LN2;
  }

  private static double round(double d) {
    double down = Math.floor(Math.abs(d));
    return Math.copySign(Math.abs(d) - down >= 0.5 ? down + 1 : down, d);
  }

  private static JsonNode rounded(JsonNode in, String name, DoubleUnaryOperator function) {
    double d = number(in, name);
    return in.isIntegralNumber() ? in : JqArithmetic.of(function.applyAsDouble(d));
  }

  private static JsonNode abs(JqEvaluator m, JsonNode in, JsonNode[] a) {
    return in.isNumber() && in.doubleValue() < 0 ? JqArithmetic.negate(in) : in;
  }

  private static void unary(
      Map<String, JqNativeCallFilter.Function> all, String name, DoubleUnaryOperator function) {
    all.put(name + "/0", (m, in, a) -> JqArithmetic.of(function.applyAsDouble(number(in, name))));
  }

  private static void binary(
      Map<String, JqNativeCallFilter.Function> all, String name, DoubleBinaryOperator function) {
    all.put(
        name + "/2",
        (m, in, a) ->
            JqArithmetic.of(function.applyAsDouble(number(a[0], name), number(a[1], name))));
  }

  private static double number(JsonNode value, String name) {
    if (!value.isNumber()) {
      throw new JqException(JqOperatorLibrary.shown(value) + " number required");
    }
    return value.doubleValue();
  }
}
