/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * New messages of a conversation.
 *
 * @param from position of the first one; what was there before is replaced
 */
record ConversationSegment(int from, List<JsonNode> messages) {
  ConversationSegment {
    messages = List.copyOf(messages);
  }

  static ConversationSegment read(Path file) throws IOException {
    JsonNode json = ConversationFiles.read(file);
    List<JsonNode> messages = new ArrayList<>();
    json.path("messages").forEach(messages::add);
    return new ConversationSegment(json.path("from").asInt(), messages);
  }

  void write(Path file) throws IOException {
    ObjectNode json = Json.mapper().createObjectNode().put("from", from);
    json.putArray("messages").addAll(messages);
    ConversationFiles.write(file, json);
  }

  /** Replaces the end of a list by these messages. */
  void apply(List<JsonNode> all) throws IOException {
    if (from < 0 || from > all.size()) {
      throw new IOException("a segment begins at message %d of %d".formatted(from, all.size()));
    }
    all.subList(from, all.size()).clear();
    all.addAll(messages);
  }

  /** Whether it replaces messages of a list. */
  boolean replaces(List<JsonNode> all) {
    return from < all.size();
  }

  static List<JsonNode> join(List<Path> segments) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (Path segment : segments) {
      read(segment).apply(all);
    }
    return all;
  }
}
