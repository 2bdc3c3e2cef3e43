/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonLengthCalculatorTest {
  private static final String[] PIECES = {
    "a", "\"", "\\", "ß", "€", "😀", "<", "/", "\u007f", "xyz 123", "日本"
  };

  @Test
  void shouldMeasureWhatWouldBeWritten() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      JsonNode value = value(random, 3);
      assertThat(JsonLengthCalculator.of(value))
          .as("seed %d, %s", seed, value)
          .isEqualTo(Json.bytes(value).length);
    }
  }

  @Test
  void shouldMeasureControlCharactersAsNoLessThanTheyTake() {
    JsonNode text = JsonNodeFactory.instance.textNode("\n\t\u0001\u0000");
    assertThat(JsonLengthCalculator.of(text)).isBetween(Json.bytes(text).length, 4 * 6 + 2);
  }

  private static JsonNode value(Random random, int depth) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    switch (random.nextInt(depth == 0 ? 4 : 6)) {
      case 0:
        return nodes.textNode(text(random));
      case 1:
        return nodes.numberNode(random.nextInt() * (random.nextBoolean() ? 1L : 4_000_000_007L));
      case 2:
        return random.nextBoolean() ? nodes.nullNode() : nodes.booleanNode(random.nextBoolean());
      case 3:
        return nodes.numberNode(random.nextGaussian());
      case 4:
        ArrayNode array = nodes.arrayNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          array.add(value(random, depth - 1));
        }
        return array;
      default:
        ObjectNode object = nodes.objectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
          object.set(text(random), value(random, depth - 1));
        }
        return object;
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }
}
