/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Measures the time of an evaluation. Not a test. {@code java -cp …
 * dev.baton.protocol.expression.ExpressionSpeed}.
 */
final class ExpressionSpeed {
  private ExpressionSpeed() {}

  public static void main(String[] args) {
    Expression expression =
        Expression.compile(
            "{n: (.steps.build.output.files | length), s: .input.name, sum: ([.input.list[] | . * 2] | add)}");
    for (int round = 0; round < 8; round++) {
      int times = 50_000;
      long start = System.nanoTime();
      long sum = 0;
      for (int i = 0; i < times; i++) {
        JsonNode result = expression.evaluate(ExpressionTest.SCOPE);
        sum += result.size();
      }
      System.out.println((System.nanoTime() - start) / times + " ns each (" + sum + ")");
    }
  }
}
