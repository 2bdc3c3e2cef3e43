/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import dev.baton.protocol.json.Json;

/**
 * Parses JSON arguments without changing a value: numbers keep every digit ({@code 1.10}, {@code
 * 1e400}, 64-bit ids), and a repeated member is an error instead of a lost value.
 */
public final class JsonArgumentReader {
  private static final ObjectReader READER =
      Json.mapper()
          .readerFor(JsonNode.class)
          .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);

  private JsonArgumentReader() {}

  /**
   * @throws JacksonException when the text is not exactly one JSON value
   */
  public static JsonNode read(String text) throws JacksonException {
    return READER.readTree(text);
  }

  /**
   * {@link #read(String)} for the value of an option.
   *
   * @param option named in the message
   * @throws CliException (usage) with the position of the error
   */
  public static JsonNode read(String text, String option) {
    JsonNode node;
    try {
      node = read(text);
    } catch (JacksonException e) {
      var at = e.getLocation();
      throw CliException.usage(
          "%s is not JSON: %s%s"
              .formatted(
                  option,
                  e.getOriginalMessage(),
                  at == null
                      ? ""
                      : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr())));
    }
    if (node == null || node.isMissingNode()) {
      throw CliException.usage(option + " is empty; give JSON, for example '{\"name\":\"x\"}'");
    }
    return node;
  }
}
