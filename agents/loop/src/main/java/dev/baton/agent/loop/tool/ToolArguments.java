/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.util.ArrayList;
import java.util.List;

/**
 * The input of a call.
 *
 * @param json a JSON object
 */
public record ToolArguments(ObjectNode json) {
  /**
   * Reads the arguments of a call.
   *
   * @throws ToolFailureException when they are not a JSON object
   */
  public static ToolArguments parse(String text) throws ToolFailureException {
    try {
      JsonNode json = Json.mapper().readTree(text.isBlank() ? "{}" : text);
      if (json instanceof ObjectNode object) {
        return new ToolArguments(object);
      }
    } catch (JsonProcessingException e) {
      throw new ToolFailureException(
          "The arguments are not JSON (%s). The answer may have been cut off at its length limit: use smaller calls."
              .formatted(TextShortener.shorten(e.getOriginalMessage(), 200)));
    }
    throw new ToolFailureException("The arguments are not a JSON object.");
  }

  /** A text that must be there; it may be empty. */
  String text(String name, int maxLength) throws ToolFailureException {
    JsonNode value = json.path(name);
    if (!value.isTextual()) {
      throw new ToolFailureException(
          value.isMissingNode() || value.isNull()
              ? "'%s' is missing: a text is required.".formatted(name)
              : "'%s' is not a text.".formatted(name));
    }
    if (value.textValue().length() > maxLength) {
      throw new ToolFailureException(
          "'%s' has %d characters; at most %d are allowed."
              .formatted(name, value.textValue().length(), maxLength));
    }
    return value.textValue();
  }

  /** {@link #text(String, int)}, which is not blank, without spaces around it. */
  String word(String name, int maxLength) throws ToolFailureException {
    String text = text(name, maxLength).strip();
    if (text.isEmpty()) {
      throw new ToolFailureException("'%s' is empty.".formatted(name));
    }
    return text;
  }

  /** A text that may be absent. */
  String text(String name, String absent, int maxLength) throws ToolFailureException {
    return isAbsent(name) ? absent : text(name, maxLength);
  }

  /** Whether a field is missing or null. */
  boolean isAbsent(String name) {
    return json.path(name).isMissingNode() || json.path(name).isNull();
  }

  int number(String name, int absent, int min, int max) throws ToolFailureException {
    if (isAbsent(name)) {
      return absent;
    }
    JsonNode value = json.path(name);
    if (!value.canConvertToExactIntegral() || !value.canConvertToInt()) {
      throw new ToolFailureException("'%s' is not a whole number.".formatted(name));
    }
    if (value.intValue() < min || value.intValue() > max) {
      throw new ToolFailureException(
          "'%s' is %d; %d to %d are allowed.".formatted(name, value.intValue(), min, max));
    }
    return value.intValue();
  }

  boolean flag(String name) throws ToolFailureException {
    if (isAbsent(name)) {
      return false;
    }
    if (!json.path(name).isBoolean()) {
      throw new ToolFailureException("'%s' is neither true nor false.".formatted(name));
    }
    return json.path(name).booleanValue();
  }

  /** A list of texts that are not blank. */
  List<String> words(String name, int most, int maxLength) throws ToolFailureException {
    JsonNode value = json.path(name);
    if (!value.isArray() || value.isEmpty() || value.size() > most) {
      throw new ToolFailureException("'%s' is not a list of 1 to %d texts.".formatted(name, most));
    }
    List<String> words = new ArrayList<>();
    for (JsonNode item : value) {
      if (!item.isTextual() || item.textValue().isBlank()) {
        throw new ToolFailureException("'%s' has an item that is not a text.".formatted(name));
      }
      words.add(TextShortener.shorten(item.textValue().strip(), maxLength));
    }
    return words;
  }
}
