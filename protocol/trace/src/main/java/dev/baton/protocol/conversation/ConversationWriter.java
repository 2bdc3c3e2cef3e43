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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the conversations of an agent from its requests, each of which contains all messages
 * before it. Only messages that are new or changed are written. Continues what the folder has.
 * Thread-safe.
 */
public final class ConversationWriter {
  static final int VERSION = 1;

  /** Conversations of one step; more are not written. */
  private static final int MOST_CONVERSATIONS = 1_000;

  /** Marks that agents move between two requests. */
  private static final Set<String> VOLATILE = Set.of("cache_control", "prompt_cache_key");

  private final ConversationFolder folder;
  // By the folder of the conversation.
  private final Map<Path, Progress> known = new HashMap<>();

  /** What is written of a conversation. */
  private static final class Progress {
    final List<String> digests = new ArrayList<>();
    final ToolCallScanner calls = new ToolCallScanner();
    int segments;
    @Nullable String head;
  }

  /**
   * @param home of the agent
   */
  public ConversationWriter(Path home) {
    folder = new ConversationFolder(home);
  }

  /**
   * Writes what a request has new.
   *
   * @return names of the tools that the conversation has called, each once
   * @param conversation its name
   * @param form of the request, as in {@code model_answered}
   * @throws IOException when the folder cannot be read or written
   */
  public synchronized List<String> write(String conversation, String form, ObjectNode body)
      throws IOException {
    Path of = folder.of(conversation);
    Progress progress = known.get(of);
    if (progress == null) {
      if (known.size() >= MOST_CONVERSATIONS) {
        return List.of();
      }
      progress = load(of);
      known.put(of, progress);
    }
    ConversationContent content = ConversationContent.of(form, body);
    head(of, conversation, content, progress);
    List<JsonNode> messages = new ArrayList<>();
    for (JsonNode message : content.messages()) {
      messages.add(stored(message));
    }
    append(of, messages, progress);
    return progress.calls.tools();
  }

  /**
   * Returns the number of messages of the longest conversation, also of those that an earlier
   * process has written; 0 where there is none.
   *
   * @throws IOException when a file is damaged
   */
  public synchronized int messages() throws IOException {
    int most = 0;
    for (Path of : folder.all()) {
      Progress progress = known.get(of);
      if (progress == null) {
        progress = load(of);
        known.put(of, progress);
      }
      most = Math.max(most, progress.digests.size());
    }
    return most;
  }

  private static Progress load(Path conversation) throws IOException {
    Progress progress = new Progress();
    List<Path> segments = ConversationFolder.segments(conversation);
    progress.segments = segments.size();
    for (JsonNode message : ConversationSegment.join(segments)) {
      progress.digests.add(digest(message));
      progress.calls.scan(message);
    }
    return progress;
  }

  private static void head(
      Path conversation, String name, ConversationContent content, Progress progress)
      throws IOException {
    ObjectNode head =
        Json.mapper()
            .createObjectNode()
            .put("version", VERSION)
            .put("conversation", name)
            .put("form", content.form())
            .put("model", content.model());
    if (!content.system().isMissingNode()) {
      head.set("system_prompt", withoutMarks(content.system()));
    }
    ArrayNode tools = head.putArray("tools");
    content.tools().forEach(tools::add);
    String text = head.toString();
    if (!text.equals(progress.head)) {
      ConversationFiles.write(ConversationFolder.head(conversation), head);
      progress.head = text;
    }
  }

  private static void append(Path conversation, List<JsonNode> messages, Progress progress)
      throws IOException {
    List<String> digests = new ArrayList<>();
    for (JsonNode message : messages) {
      digests.add(digest(message));
    }
    int same = 0;
    while (same < digests.size()
        && same < progress.digests.size()
        && digests.get(same).equals(progress.digests.get(same))) {
      same++;
    }
    if (same == digests.size() && same == progress.digests.size()) {
      return;
    }
    new ConversationSegment(same, messages.subList(same, messages.size()))
        .write(ConversationFolder.segment(conversation, progress.segments));
    progress.segments++;
    messages.subList(same, messages.size()).forEach(progress.calls::scan);
    progress.digests.clear();
    progress.digests.addAll(digests);
  }

  private static String digest(JsonNode message) {
    return Digest.of(Json.bytes(message));
  }

  private static JsonNode withoutMarks(JsonNode value) {
    JsonNode copy = value.deepCopy();
    removeMarks(copy);
    return copy;
  }

  private static void removeMarks(JsonNode value) {
    if (value instanceof ObjectNode object) {
      object.remove(VOLATILE);
    }
    value.forEach(ConversationWriter::removeMarks);
  }

  /** A message without marks, and with digests instead of images. */
  private JsonNode stored(JsonNode message) throws IOException {
    JsonNode copy = withoutMarks(message);
    for (ConversationImages.Image image : ConversationImages.takeOut(copy)) {
      Path file = folder.image(image.digest());
      if (!Files.isRegularFile(file)) {
        ConversationFiles.write(file, image.json());
      }
    }
    return copy;
  }
}
