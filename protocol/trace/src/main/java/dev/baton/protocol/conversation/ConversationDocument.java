/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The conversation of an agent as one JSON document, {@code conversation.json}: messages in the
 * notation of their form, and what follows from them.
 */
public final class ConversationDocument {
  private static final int MOST_FILES = 1_000;

  private ConversationDocument() {}

  /**
   * Reads the conversation of the agent's work below a home: of those whose requests offer tools,
   * the one with most messages.
   *
   * @return empty where there is none
   * @throws IOException when a file is damaged; the message names it
   */
  public static Optional<ObjectNode> read(Path home) throws IOException {
    Path best = null;
    JsonNode bestHead = null;
    List<JsonNode> bestMessages = List.of();
    ConversationFolder folder = new ConversationFolder(home);
    for (Path conversation : folder.all()) {
      JsonNode head = ConversationFiles.read(ConversationFolder.head(conversation));
      List<JsonNode> messages = ConversationSegment.join(ConversationFolder.segments(conversation));
      if (bestHead == null || rank(head, messages) > rank(bestHead, bestMessages)) {
        best = conversation;
        bestHead = head;
        bestMessages = messages;
      }
    }
    return best == null || bestHead == null
        ? Optional.empty()
        : Optional.of(document(folder, best, bestHead, bestMessages));
  }

  private static long rank(JsonNode head, List<JsonNode> messages) {
    return messages.size() + (head.path("tools").isEmpty() ? 0 : 1L << 32);
  }

  private static ObjectNode document(
      ConversationFolder folder, Path conversation, JsonNode head, List<JsonNode> messages)
      throws IOException {
    ObjectNode document = Json.mapper().createObjectNode();
    document.put("version", ConversationWriter.VERSION);
    document.set("form", head.path("form"));
    document.set("model", head.path("model"));
    document.set("conversation", head.path("conversation"));
    document.set("tools", head.path("tools"));
    if (head.has("system_prompt")) {
      document.set("system_prompt", head.path("system_prompt"));
    }
    document.putArray("messages").addAll(messages);
    ToolCallScanner scanner = new ToolCallScanner();
    messages.forEach(scanner::scan);
    ArrayNode pending = document.putArray("pending_tool_calls");
    scanner.pending().forEach(call -> pending.add(call.json()));
    ObjectNode results = document.putObject("tool_results");
    scanner.results().forEach(results::set);
    ArrayNode files = document.putArray("loaded_files");
    scanner.files().stream().limit(MOST_FILES).forEach(files::add);
    document.set("todos", scanner.todos());
    document.set("replaced", replaced(conversation));
    ArrayNode images = document.putArray("images");
    for (String digest : digests(messages)) {
      Path file = folder.image(digest);
      if (Files.isRegularFile(file)) {
        images.add(ConversationFiles.read(file));
      }
    }
    return document;
  }

  /** Messages that later requests have left out or changed: by a summary, for example. */
  private static ArrayNode replaced(Path conversation) throws IOException {
    ArrayNode replaced = Json.mapper().createArrayNode();
    List<JsonNode> all = new ArrayList<>();
    for (Path file : ConversationFolder.segments(conversation)) {
      ConversationSegment segment = ConversationSegment.read(file);
      if (segment.replaces(all)) {
        ObjectNode entry = replaced.addObject().put("from", segment.from());
        entry.putArray("messages").addAll(all.subList(segment.from(), all.size()));
      }
      segment.apply(all);
    }
    return replaced;
  }

  private static Set<String> digests(List<JsonNode> messages) {
    Set<String> digests = new TreeSet<>();
    messages.forEach(message -> collect(message, digests));
    return digests;
  }

  private static void collect(JsonNode value, Set<String> digests) {
    if (value.isTextual()
        && value.textValue().length() == 71
        && value.textValue().startsWith("sha256:")) {
      digests.add(value.textValue());
    }
    value.forEach(child -> collect(child, digests));
  }

  /**
   * Writes a document below a home, so that {@link #read} returns it again.
   *
   * @throws IllegalArgumentException when it has no messages in a known form; the message says so
   */
  public static void write(Path home, JsonNode document) throws IOException {
    if (!document.path("messages").isArray()) {
      throw new IllegalArgumentException("the conversation has no list 'messages'");
    }
    ConversationFolder folder = new ConversationFolder(home);
    String name = document.path("conversation").asText("imported");
    Path conversation = folder.of(name);
    ObjectNode head = Json.mapper().createObjectNode();
    head.put("version", ConversationWriter.VERSION)
        .put("conversation", name)
        .put("form", document.path("form").asText("anthropic-messages"))
        .put("model", document.path("model").asText(""));
    if (document.has("system_prompt")) {
      head.set("system_prompt", document.path("system_prompt"));
    }
    head.set("tools", document.path("tools").isArray() ? document.path("tools") : head.arrayNode());
    ConversationFiles.write(ConversationFolder.head(conversation), head);
    writeSegments(conversation, document);
    for (JsonNode image : document.path("images")) {
      Digest.check(image.path("digest").asText());
      ConversationFiles.write(folder.image(image.path("digest").asText()), image);
    }
  }

  /** Goes backwards: what a replacement has kept is at the beginning of the state after it. */
  private static void writeSegments(Path conversation, JsonNode document) throws IOException {
    List<JsonNode> newest = new ArrayList<>();
    document.path("messages").forEach(newest::add);
    List<ConversationSegment> segments = new ArrayList<>();
    JsonNode replaced = document.path("replaced");
    for (int i = replaced.size() - 1; i >= 0; i--) {
      int from = replaced.get(i).path("from").asInt(-1);
      if (from < 0 || from > newest.size()) {
        throw new IllegalArgumentException(
            "replaced[%d].from of the conversation is %d; allowed: 0 to %d"
                .formatted(i, from, newest.size()));
      }
      segments.addFirst(new ConversationSegment(from, newest.subList(from, newest.size())));
      newest = new ArrayList<>(newest.subList(0, from));
      replaced.get(i).path("messages").forEach(newest::add);
    }
    segments.addFirst(new ConversationSegment(0, newest));
    for (int i = 0; i < segments.size(); i++) {
      segments.get(i).write(ConversationFolder.segment(conversation, i));
    }
  }
}
