/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.JsonNodeDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.databind.util.AccessPattern;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads trees as Jackson does, but reports a number that does not fit a decimal (an exponent beyond
 * 32 bits) as malformed JSON; Jackson would throw the JDK's exception.
 */
final class JsonTreeReader extends StdDeserializer<JsonNode> {
  private static final long serialVersionUID = 1L;

  private final transient JsonDeserializer<? extends JsonNode> trees =
      JsonNodeDeserializer.getDeserializer(JsonNode.class);

  JsonTreeReader() {
    super(JsonNode.class);
  }

  @Override
  public JsonNode deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    try {
      return trees.deserialize(parser, context);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new JsonParseException(parser, "a number is out of range", e);
    }
  }

  @Override
  public Object deserializeWithType(
      JsonParser parser, DeserializationContext context, TypeDeserializer type) throws IOException {
    return deserialize(parser, context);
  }

  @Override
  public JsonNode getNullValue(DeserializationContext context) {
    return context.getNodeFactory().nullNode();
  }

  /** An absent member is null in Java, not JSON's null. */
  @Override
  public @Nullable Object getAbsentValue(DeserializationContext context) {
    return null;
  }

  @Override
  public AccessPattern getNullAccessPattern() {
    return AccessPattern.CONSTANT;
  }

  @Override
  public LogicalType logicalType() {
    return LogicalType.Untyped;
  }

  @Override
  public boolean isCachable() {
    return true;
  }
}
