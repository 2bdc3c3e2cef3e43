/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What renderers share. */
final class RenderedJson {
  private static final int DELTA = 7;

  private RenderedJson() {}

  static ObjectNode object() {
    return Json.mapper().createObjectNode();
  }

  static JsonNode parsed(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  static String text(JsonNode value) {
    return new String(Json.bytes(value), StandardCharsets.UTF_8);
  }

  static String event(String name, ObjectNode data) {
    return "event: " + name + "\ndata: " + text(data) + "\n\n";
  }

  static String data(ObjectNode data) {
    return "data: " + text(data) + "\n\n";
  }

  /** Splits a text into deltas, not within a surrogate pair. */
  static List<String> deltas(String text) {
    List<String> deltas = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int to = Math.min(text.length(), from + DELTA);
      if (to < text.length() && Character.isLowSurrogate(text.charAt(to))) {
        to++;
      }
      deltas.add(text.substring(from, to));
      from = to;
    }
    return deltas;
  }
}
