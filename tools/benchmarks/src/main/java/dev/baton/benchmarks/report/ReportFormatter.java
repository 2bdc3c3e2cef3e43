/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Formats the parts that several reports have. */
public final class ReportFormatter {
  private ReportFormatter() {}

  /** Formats in the same way for every user's language. */
  public static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Returns the largest of the shares of the machine that others used; empty for none. */
  static String elsewhere(Stream<@Nullable Double> shares) {
    return shares
        .filter(Objects::nonNull)
        .max(Double::compare)
        .map(most -> line("≤ %.0f%%", most * 100))
        .orElse("");
  }

  /** Returns indented JSON that ends in a new line. */
  static String whole(JsonNode json) {
    try {
      return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree can always be serialized", e);
    }
  }
}
