/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.TextInput;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;

/** Expressions and templates, evaluated on a fixed scope. */
public final class ExpressionFuzzer {
  /**
   * Time limit of an evaluation. Discarded values do not count towards the memory limit, so an
   * expression may allocate as fast as memory allows: 1.6 GB in 200 ms were measured. This is short
   * enough for {@code FuzzTarget.MAX_ALLOCATED_BYTES}.
   */
  private static final int MAX_MILLIS = 50;

  private static final int MAX_END_MILLIS = 8_000;

  private static final ExpressionScope SCOPE =
      ExpressionScope.of(
          Json.tree(
              "{\"n\":3,\"s\":\"aab\",\"list\":[1,2.5,null,\"x\",{\"k\":[true]}],\"big\":1e300}"
                  .getBytes(StandardCharsets.UTF_8)),
          Json.tree("{\"a\":{\"output\":{\"x\":[1]}}}".getBytes(StandardCharsets.UTF_8)),
          Json.tree("{\"id\":\"r\"}".getBytes(StandardCharsets.UTF_8)));

  private ExpressionFuzzer() {}

  public static void expression(byte[] input) {
    try {
      Expression expression = Expression.compile(TextInput.text(input));
      long begun = System.nanoTime();
      JsonNode result = evaluate(expression);
      long millis = (System.nanoTime() - begun) / 1_000_000;
      FuzzAssert.require(millis < MAX_END_MILLIS, "ends near its time limit: " + millis + " ms");
      FuzzAssert.require(result.toString().length() >= 1, "has a JSON form");
    } catch (ExpressionException rejected) {
      // Names the reason.
    }
  }

  private static JsonNode evaluate(Expression expression) {
    return expression.evaluate(SCOPE, MAX_MILLIS);
  }

  public static void template(byte[] input) {
    try {
      Template template = Template.compile(TextInput.text(input));
      template.references();
      template.secrets();
      template.isFixed();
    } catch (ExpressionException rejected) {
      // Names the reason.
    }
  }
}
