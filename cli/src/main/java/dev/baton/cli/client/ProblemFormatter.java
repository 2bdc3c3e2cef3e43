/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats an error response as text. */
final class ProblemFormatter {
  private static final int TEXT_LIMIT = 200;

  private ProblemFormatter() {}

  static CliException failure(ServerAddress server, int status, byte[] body) {
    ObjectNode problem = parse(body);
    if (problem == null) {
      String text = new String(body, StandardCharsets.UTF_8).strip();
      String shown = TextShortener.shorten(text, TEXT_LIMIT);
      return CliException.of(
          code(status, false),
          "%s answered %d%s".formatted(server, status, shown.isEmpty() ? "" : ": " + shown));
    }
    boolean ambiguous = problem.path("candidates").isArray();
    return CliException.problem(
        code(status, ambiguous), line(problem, status), details(problem), problem);
  }

  private static CliExitCode code(int status, boolean ambiguous) {
    return switch (status) {
      case 400, 405, 406, 413, 415, 422 -> CliExitCode.USAGE;
      case 404 -> CliExitCode.NOT_FOUND;
      case 409 -> ambiguous ? CliExitCode.AMBIGUOUS : CliExitCode.CONFLICT;
      case 408, 504 -> CliExitCode.TIMEOUT;
      // The requested action was started and failed in another component.
      case 502 -> CliExitCode.FAILED;
      case 503 -> CliExitCode.UNREACHABLE;
      default -> CliExitCode.SERVER;
    };
  }

  private static String line(ObjectNode problem, int status) {
    String title = problem.path("title").asText("");
    String detail = problem.path("detail").asText("");
    if (detail.isEmpty()) {
      return title.isEmpty() ? "the server answered " + status : title;
    }
    return title.isEmpty() || lower(detail).contains(lower(title)) ? detail : title + ": " + detail;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private static List<String> details(ObjectNode problem) {
    List<String> lines = new ArrayList<>();
    for (JsonNode error : problem.path("errors")) {
      lines.add(error(error));
    }
    for (JsonNode candidate : problem.path("candidates")) {
      lines.add(candidate(candidate));
    }
    return lines;
  }

  /** {@code 12:5: step 'build': unknown key 'shel' (allowed: shell, http)}. */
  static String error(JsonNode error) {
    StringBuilder line = new StringBuilder();
    if (error.path("line").asInt(0) > 0) {
      line.append(error.path("line").asInt()).append(':');
      if (error.path("column").asInt(0) > 0) {
        line.append(error.path("column").asInt()).append(':');
      }
      line.append(' ');
    }
    String path = error.path("path").asText("");
    String step = error.path("step").asText("");
    String message = error.path("message").asText("");
    if (!step.isEmpty() && !message.contains("'" + step + "'")) {
      line.append("step '").append(step).append("': ");
    } else if (step.isEmpty() && !path.isEmpty() && !message.contains(path)) {
      line.append(path).append(": ");
    }
    line.append(message);
    String allowed = list(error.path("allowed"));
    if (!allowed.isEmpty() && !message.contains(allowed)) {
      line.append(" (allowed: ").append(allowed).append(')');
    }
    return line.toString();
  }

  private static String candidate(JsonNode candidate) {
    if (candidate.isTextual()) {
      return candidate.textValue();
    }
    return "%s  %s  %s  %s"
        .formatted(
            candidate.path("id").asText(),
            candidate.path("workflow").asText("-"),
            candidate.path("status").asText("-"),
            candidate.path("created_at").asText(""))
        .strip();
  }

  private static String list(JsonNode allowed) {
    if (!allowed.isArray()) {
      return allowed.asText("");
    }
    List<String> words = new ArrayList<>();
    allowed.forEach(word -> words.add(word.asText()));
    return String.join(", ", words);
  }

  private static @org.jspecify.annotations.Nullable ObjectNode parse(byte[] body) {
    try {
      return Json.mapper().readTree(body) instanceof ObjectNode object ? object : null;
    } catch (IOException _) {
      // Not JSON: the caller shows it as text.
      return null;
    }
  }
}
