/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.plan;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Reads the run state of Runr, the earlier tool with milestones: {@code
 * .runr/runs/<run>/state.json}.
 */
public final class RunrStateReader {
  /**
   * Runr's run ids. The pattern excludes path separators, so that an id cannot lead to another
   * directory.
   */
  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,127}");

  private static final int MAX_BYTES = 16 << 20;

  private RunrStateReader() {}

  /**
   * Returns the number of the newest milestone in that state; empty where there is none.
   *
   * @throws IOException when the file cannot be read or is not JSON
   */
  public static OptionalInt newestMilestone(Path root, String run) throws IOException {
    Path file = root.resolve(".runr/runs").resolve(RUN.matcher(run).matches() ? run : "-");
    file = file.resolve("state.json");
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return OptionalInt.empty();
    }
    try (InputStream in = Files.newInputStream(file)) {
      JsonNode index = Json.mapper().readTree(in.readNBytes(MAX_BYTES)).path("milestone_index");
      return index.canConvertToInt() && index.isIntegralNumber()
          ? OptionalInt.of(index.intValue())
          : OptionalInt.empty();
    } catch (JacksonException e) {
      throw new IOException(file + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }
}
