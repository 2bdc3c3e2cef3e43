/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the transcripts of Claude Code: a JSON object in each line. */
final class ClaudeTranscript {
  private ClaudeTranscript() {}

  /** Why the session cannot be resumed; null when it can. */
  static @Nullable String problem(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return "the transcript " + file.getFileName() + " is missing";
    }
    if (!endsWithLine(file)) {
      return "the transcript " + file.getFileName() + " is torn";
    }
    int number = 0;
    boolean user = false;
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        JsonNode row = Json.mapper().readTree(line);
        if (!row.isObject()) {
          return "line %d of the transcript is no JSON object".formatted(number);
        }
        user |= row.path("type").asText().equals("user");
      }
    } catch (JsonProcessingException | CharacterCodingException e) {
      return "line %d of the transcript is damaged".formatted(number + 1);
    }
    return user ? null : "the transcript contains no prompt";
  }

  private static boolean endsWithLine(Path file) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
      if (content.length() == 0) {
        return false;
      }
      content.seek(content.length() - 1);
      return content.read() == '\n';
    }
  }

  /** Whether the transcripts contain the results of these calls; a prompt where there are none. */
  static boolean contains(Path file, Path subAgents, List<String> calls) throws IOException {
    if (!Files.isRegularFile(file) || !endsWithLine(file)) {
      return false;
    }
    if (calls.isEmpty()) {
      return problem(file) == null;
    }
    Set<String> left = new HashSet<>(calls);
    removeResults(file, left);
    if (!left.isEmpty() && Files.isDirectory(subAgents)) {
      List<Path> others = new ArrayList<>();
      try (Stream<Path> files = Files.list(subAgents)) {
        files.filter(path -> path.toString().endsWith(".jsonl")).forEach(others::add);
      }
      for (Path other : others) {
        removeResults(other, left);
      }
    }
    return left.isEmpty();
  }

  private static void removeResults(Path file, Set<String> left) throws IOException {
    // The newest results are at the end of a file that may be large.
    long size = Files.size(file);
    for (long tail = 1 << 20; ; tail *= 8) {
      String text = tail(file, size, tail);
      left.removeIf(
          id ->
              text.contains("\"tool_use_id\":\"" + id + "\"")
                  || text.contains("\"tool_use_id\": \"" + id + "\""));
      if (left.isEmpty() || tail >= size) {
        return;
      }
    }
  }

  private static String tail(Path file, long size, long most) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, size - Math.min(most, 1 << 30));
      content.seek(from);
      byte[] bytes = new byte[(int) (size - from)];
      content.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
