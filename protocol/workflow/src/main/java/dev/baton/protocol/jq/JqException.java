/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.TextShortener;

/** An error that {@code try} can catch, with the JSON value that {@code catch} receives. */
public final class JqException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 300;

  private final transient JsonNode value;

  JqException(JsonNode value) {
    super(null, null, false, false);
    this.value = value;
  }

  JqException(String message) {
    this(TextNode.valueOf(message));
  }

  JsonNode value() {
    return value;
  }

  /** Returns the value as text or JSON; at most 300 characters of it. */
  @Override
  public String getMessage() {
    if (value.isTextual()) {
      String text = value.textValue();
      return TextShortener.shorten(text, SHOWN);
    }
    return JqJsonWriter.shortened(value, SHOWN) + " (not a string)";
  }
}
