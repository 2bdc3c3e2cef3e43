/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import dev.baton.protocol.digest.Digest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where conversations are below the home of an agent: {@code .baton-conversation/DIGEST/head.json}
 * has name, form, model, system prompt and tools; {@code NNN/NNNNN.json} beside it are segments,
 * numbered from 0 on, each with the messages from a position on; {@code images/DIGEST.json} has one
 * image. A segment never changes, so that each checkpoint stores only what is new.
 */
public final class ConversationFolder {
  private static final Path ROOT = Path.of(".baton-conversation");
  private static final String HEAD = "head.json";
  private static final String IMAGES = "images";

  /** Segments of one folder: their names are stored again with each new one. */
  private static final int GROUP = 32;

  private final Path root;

  /**
   * @param home of the agent
   */
  ConversationFolder(Path home) {
    this.root = home.resolve(ROOT);
  }

  /** Whether a path relative to the home is part of a conversation. */
  public static boolean contains(Path relative) {
    return relative.startsWith(ROOT);
  }

  /** The folder of a conversation. */
  Path of(String conversation) {
    String digest = Digest.of(conversation.getBytes(StandardCharsets.UTF_8));
    return root.resolve(digest.substring("sha256:".length(), "sha256:".length() + 16));
  }

  Path image(String digest) {
    return root.resolve(IMAGES).resolve(digest.substring("sha256:".length()) + ".json");
  }

  static Path head(Path conversation) {
    return conversation.resolve(HEAD);
  }

  static Path segment(Path conversation, int number) {
    return conversation
        .resolve("%03d".formatted(number / GROUP))
        .resolve("%05d.json".formatted(number));
  }

  /** The folders of all conversations, by name; empty where there is none. */
  List<Path> all() throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(root)) {
      return folders.filter(folder -> Files.isRegularFile(head(folder))).sorted().toList();
    }
  }

  /** The segments of a conversation, in their order. */
  static List<Path> segments(Path conversation) throws IOException {
    List<Path> segments = new java.util.ArrayList<>();
    while (Files.isRegularFile(segment(conversation, segments.size()))) {
      segments.add(segment(conversation, segments.size()));
    }
    return segments;
  }
}
