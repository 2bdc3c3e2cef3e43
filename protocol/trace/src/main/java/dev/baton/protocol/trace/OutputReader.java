/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Distinguishes the two forms by the first field that only one of them has, without buffering. */
final class OutputReader extends StdDeserializer<Output> {
  private static final long serialVersionUID = 1L;

  OutputReader() {
    super(Output.class);
  }

  @Override
  public @Nullable Output deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    if (!parser.isExpectedStartObjectToken()) {
      return (Output) context.handleUnexpectedToken(Output.class, parser);
    }
    for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
      switch (field) {
        case "value" -> {
          return inline(parser, context);
        }
        case "digest", "size_bytes", "parts" -> {
          return reference(field, parser, context);
        }
        default -> skip(parser);
      }
    }
    return context.reportInputMismatch(
        Output.class, "an output has either 'value', or 'digest' and 'size_bytes'");
  }

  private static Output inline(JsonParser parser, DeserializationContext context)
      throws IOException {
    JsonNode value = NullNode.getInstance();
    String field = "value";
    while (field != null) {
      if (field.equals("value")) {
        parser.nextToken();
        value = context.readTree(parser);
      } else {
        skip(parser);
      }
      field = parser.nextFieldName();
    }
    return new Output.Inline(value);
  }

  private static Output reference(String first, JsonParser parser, DeserializationContext context)
      throws IOException {
    String digest = null;
    long size = 0;
    Integer parts = null;
    String field = first;
    while (field != null) {
      switch (field) {
        case "digest" -> {
          parser.nextToken();
          digest = context.readValue(parser, String.class);
        }
        case "size_bytes" -> {
          parser.nextToken();
          size = context.readValue(parser, long.class);
        }
        case "parts" -> {
          parser.nextToken();
          parts = context.readValue(parser, Integer.class);
        }
        default -> skip(parser);
      }
      field = parser.nextFieldName();
    }
    if (digest == null) {
      return context.reportInputMismatch(Output.class, "an output by reference lacks 'digest'");
    }
    try {
      return new Output.Ref(digest, size, parts);
    } catch (IllegalArgumentException bad) {
      return context.reportInputMismatch(Output.class, "%s", bad.getMessage());
    }
  }

  private static void skip(JsonParser parser) throws IOException {
    parser.nextToken();
    parser.skipChildren();
  }
}
