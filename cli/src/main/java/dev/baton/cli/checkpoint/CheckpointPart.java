/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One part of a checkpoint beside its files, as the manifest lists it under {@code contributors}.
 *
 * @param name of the contributor
 * @param error why the checkpoint is without it; empty with it
 * @param counts of what it contains, by plural nouns
 */
record CheckpointPart(String name, String error, Map<String, Integer> counts) {
  static final String CONVERSATION = "conversation";
  static final String SCREEN = "tmux";

  private static final String WORKSPACE = "workspace";

  /** In the order of their lines. */
  private static final Map<String, String> CAPTURES = captures();

  private static Map<String, String> captures() {
    Map<String, String> captures = new LinkedHashMap<>();
    captures.put(CONVERSATION, "Capturing conversation state");
    captures.put("git", "Reading git state");
    captures.put("environment", "Saving environment");
    captures.put("session", "Saving session state");
    captures.put(SCREEN, "Saving tmux layout");
    captures.put("mcp", "Capturing MCP servers");
    return captures;
  }

  /** Returns the parts of a manifest, in the order in which they are shown. */
  static List<CheckpointPart> of(JsonNode manifest) {
    List<CheckpointPart> parts = new ArrayList<>();
    for (var part : manifest.path("contributors").properties()) {
      if (part.getKey().equals(WORKSPACE)) {
        continue;
      }
      JsonNode result = part.getValue();
      Map<String, Integer> counts = new LinkedHashMap<>();
      result
          .path("counts")
          .properties()
          .forEach(count -> counts.put(count.getKey(), count.getValue().asInt()));
      boolean ok = result.path("status").asText("ok").equals("ok");
      parts.add(
          new CheckpointPart(
              part.getKey(), ok ? "" : result.path("error").asText("failed"), counts));
    }
    List<String> order = List.copyOf(CAPTURES.keySet());
    parts.sort(
        Comparator.comparingInt(
                (CheckpointPart part) ->
                    order.contains(part.name()) ? order.indexOf(part.name()) : order.size())
            .thenComparing(CheckpointPart::name));
    return parts;
  }

  /** Whether a manifest has this part. */
  static boolean isIn(JsonNode manifest, String name) {
    return of(manifest).stream()
        .anyMatch(part -> part.name().equals(name) && part.error().isEmpty());
  }

  /** The line of its capture. */
  String capture() {
    return CAPTURES.getOrDefault(name, "Saving " + name);
  }

  /** What came of its capture, for example {@code 2 windows, 3 panes}; may be empty. */
  String result() {
    return error.isEmpty() ? counted(counts) : "without it: " + error;
  }

  /** Returns counts as a phrase. */
  static String counted(Map<String, Integer> counts) {
    List<String> phrases = new ArrayList<>();
    // Larger things first: windows before panes.
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByKey().reversed())
        .forEach(count -> phrases.add(counted(count.getValue(), count.getKey())));
    return String.join(", ", phrases);
  }

  private static String counted(int number, String plural) {
    String noun =
        number == 1 && plural.endsWith("s") ? plural.substring(0, plural.length() - 1) : plural;
    return "%,d %s".formatted(number, noun);
  }
}
