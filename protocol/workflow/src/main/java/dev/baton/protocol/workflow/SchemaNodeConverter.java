/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.ExactNumberNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts JSON for the validator of schemas, which uses another version of Jackson. Numbers keep
 * their exact value, and each number without a fraction is an integer, as JSON Schema has it: read
 * from text, a number beyond the range of a double would be infinite, and the validator would fail
 * for others beyond that of a long.
 */
final class SchemaNodeConverter {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private SchemaNodeConverter() {}

  /** Returns a copy. Recursive: the nesting must be limited, as that of all parsed JSON. */
  static tools.jackson.databind.JsonNode of(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> {
        ObjectNode object = NODES.objectNode();
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          object.set(member.getKey(), of(member.getValue()));
        }
        yield object;
      }
      case ARRAY -> {
        ArrayNode array = NODES.arrayNode(node.size());
        node.forEach(element -> array.add(of(element)));
        yield array;
      }
      case NUMBER -> number(node);
      case BOOLEAN -> NODES.booleanNode(node.booleanValue());
      case NULL -> NODES.nullNode();
      case MISSING -> NODES.missingNode();
      case STRING, BINARY, POJO -> NODES.stringNode(node.asText());
    };
  }

  private static tools.jackson.databind.JsonNode number(JsonNode node) {
    if (node.isIntegralNumber()) {
      return integer(node.bigIntegerValue());
    }
    BigDecimal value = node.decimalValue();
    // A larger exponent, which no parsed number has, would need as many digits of memory.
    if (!ExactNumberNodeFactory.isWithin(node) || value.stripTrailingZeros().scale() > 0) {
      return NODES.numberNode(value);
    }
    return integer(value.toBigIntegerExact());
  }

  /** Returns a node of the smallest type, as of a parser. */
  private static tools.jackson.databind.JsonNode integer(BigInteger value) {
    if (value.bitLength() < Integer.SIZE) {
      return NODES.numberNode(value.intValue());
    }
    return value.bitLength() < Long.SIZE
        ? NODES.numberNode(value.longValue())
        : NODES.numberNode(value);
  }
}
