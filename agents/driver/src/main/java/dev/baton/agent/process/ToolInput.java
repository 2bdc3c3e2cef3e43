/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.ToolApproval;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.util.List;
import java.util.TreeMap;

/**
 * The input of a tool call: digest, text for people, and the part that rules match.
 *
 * @param value a JSON object
 */
public record ToolInput(JsonNode value) {
  /** Bound of an input in events, in characters. */
  public static final int SHORT = 4_096;

  /** Bound of an input in approvals, in characters. */
  public static final int LONG = 65_536;

  private static final List<String> MAIN =
      List.of(
          "command", "cmd", "file_path", "filePath", "path", "url", "pattern", "query", "prompt");

  /** {@code sha256:<64 hex>} of the JSON with sorted fields. */
  public String digest() {
    return Digest.of(Json.bytes(sorted(value)));
  }

  /** Returns the call with this input, for a decision on it. */
  public ToolApproval approval(String callId, String tool, String reason) {
    return new ToolApproval(callId, tool, main(), text(LONG), digest(), reason);
  }

  /** The JSON, shortened. */
  public String text(int most) {
    return TextShortener.shorten(value.toString(), most);
  }

  /** Command, path or URL; empty where there is none. */
  public String main() {
    for (String name : MAIN) {
      JsonNode field = value.path(name);
      if (field.isTextual()) {
        return field.textValue();
      }
      if (field.isArray()) {
        StringBuilder joined = new StringBuilder();
        field.forEach(word -> joined.append(joined.isEmpty() ? "" : " ").append(word.asText()));
        return joined.toString();
      }
    }
    return "";
  }

  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      TreeMap<String, JsonNode> fields = new TreeMap<>();
      node.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
      ObjectNode object = Json.mapper().createObjectNode();
      fields.forEach(object::set);
      return object;
    }
    if (node.isArray()) {
      ArrayNode array = Json.mapper().createArrayNode();
      node.forEach(element -> array.add(sorted(element)));
      return array;
    }
    return node;
  }
}
