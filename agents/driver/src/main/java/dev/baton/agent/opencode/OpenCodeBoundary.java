/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the newest boundary of a session contains, captured with its database: a database without
 * its write-ahead log, or with a torn one, is a whole database with an older conversation.
 *
 * @param session id of the session
 * @param calls ids of the calls whose results are in the database; empty: only the prompt is
 */
record OpenCodeBoundary(String session, List<String> calls) {
  OpenCodeBoundary {
    calls = List.copyOf(calls);
  }

  void write(Path file) throws IOException {
    ObjectNode json = Json.mapper().createObjectNode().put("session", session);
    ArrayNode array = json.putArray("calls");
    calls.forEach(array::add);
    StateText.write(file, json.toString());
  }

  /**
   * Reads a boundary; null where there is none, as after the end of a step.
   *
   * @throws IOException when the file is damaged
   */
  static @Nullable OpenCodeBoundary read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    JsonNode json;
    try {
      json = Json.checkedTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw new IOException("its file " + file.getFileName() + " is damaged", e);
    }
    List<String> calls = new ArrayList<>();
    json.path("calls").forEach(call -> calls.add(call.asText()));
    return new OpenCodeBoundary(json.path("session").asText(), calls);
  }

  /**
   * Compares the boundary with the conversation.
   *
   * @param messages newest messages of the session, as the server lists them
   * @return why the session cannot be resumed; null when it can
   */
  @Nullable String problem(JsonNode messages) {
    if (messages.isEmpty()) {
      return "its database has no message of it";
    }
    Set<String> left = new HashSet<>(calls);
    for (JsonNode message : messages) {
      for (JsonNode part : message.path("parts")) {
        String status = part.path("state").path("status").asText();
        if (status.equals("completed") || status.equals("error")) {
          left.remove(part.path("callID").asText());
        }
      }
    }
    return left.isEmpty()
        ? null
        : "its database does not have the results of the calls " + left + " of the boundary";
  }
}
