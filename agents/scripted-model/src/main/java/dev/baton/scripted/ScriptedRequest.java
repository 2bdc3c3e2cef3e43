/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A request that the endpoint has received.
 *
 * @param number 1, 2, 3 … in the order of their arrival
 * @param path with its query
 * @param headers names in lower case
 * @param body the JSON; a missing node where it is not JSON
 */
public record ScriptedRequest(
    int number, String path, Map<String, List<String>> headers, JsonNode body) {
  public ScriptedRequest {
    headers = Map.copyOf(headers);
  }

  /** The number of answers in the conversation: neighbouring parts of an answer count once. */
  public int turn() {
    int turns = 0;
    boolean answering = false;
    for (JsonNode item : items()) {
      boolean answer = isOfModel(item);
      if (answer && !answering) {
        turns++;
      }
      answering = answer;
    }
    return turns;
  }

  private JsonNode items() {
    return body.has("input") ? body.path("input") : body.path("messages");
  }

  private static boolean isOfModel(JsonNode item) {
    String type = item.path("type").asText("");
    return item.path("role").asText("").equals("assistant")
        || type.equals("reasoning")
        || type.endsWith("_call");
  }

  /** The first value of a header; empty where it is absent. */
  public String header(String name) {
    return headers.getOrDefault(name, List.of("")).getFirst();
  }
}
