/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

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
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The session file of an agent: a JSON object in each line, appended.
 *
 * @param path of the file
 */
public record SessionFile(Path path) {
  private static final long FIRST_TAIL = 1 << 20;
  private static final long MOST_TAIL = 1L << 30;

  /**
   * Checks every row: agents skip those that they cannot read, and would repeat what is in them.
   *
   * @param opening a row that a session must have
   * @return why the session cannot be resumed; null when it can
   */
  public @Nullable String problem(Predicate<JsonNode> opening) throws IOException {
    if (!Files.isRegularFile(path)) {
      return "its file " + path.getFileName() + " is missing";
    }
    if (!endsWithLine()) {
      return "its file " + path.getFileName() + " is torn";
    }
    int number = 0;
    boolean opened = false;
    try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        JsonNode row = Json.mapper().readTree(line);
        if (!row.isObject()) {
          return "line %d of its file %s is not a JSON object"
              .formatted(number, path.getFileName());
        }
        opened |= opening.test(row);
      }
    } catch (JsonProcessingException | CharacterCodingException e) {
      return "its file %s is damaged after line %d".formatted(path.getFileName(), number);
    }
    return opened ? null : "its file " + path.getFileName() + " contains no prompt";
  }

  /** Whether the file exists and its last row is whole. */
  public boolean endsWithLine() throws IOException {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    try (RandomAccessFile content = new RandomAccessFile(path.toFile(), "r")) {
      if (content.length() == 0) {
        return false;
      }
      content.seek(content.length() - 1);
      return content.read() == '\n';
    }
  }

  /**
   * Returns the ids for which no row is found. Reads from the end: the newest rows are needed, of a
   * file that may be large.
   *
   * @param isOf whether a row, as text, belongs to an id
   */
  public Set<String> missing(Set<String> ids, BiPredicate<String, String> isOf) throws IOException {
    Set<String> left = new HashSet<>(ids);
    long size = Files.size(path);
    for (long tail = FIRST_TAIL; !left.isEmpty(); tail *= 8) {
      for (String row : tail(size, tail).split("\n")) {
        left.removeIf(id -> row.contains(id) && isOf.test(row, id));
      }
      if (tail >= Math.min(size, MOST_TAIL)) {
        break;
      }
    }
    return left;
  }

  private String tail(long size, long most) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(path.toFile(), "r")) {
      long from = Math.max(0, size - Math.min(most, MOST_TAIL));
      content.seek(from);
      byte[] bytes = new byte[(int) (size - from)];
      content.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
