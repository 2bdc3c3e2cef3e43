/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DurationParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code baton logs ID [-f]}: all lines, or lines from a position, of a time range, of a step, or
 * the last ones.
 */
@Command(
    name = "logs",
    description = "Show what a run's steps print. With -o json: one line of JSON per piece.")
public final class LogsCommand implements Runnable {
  /**
   * Maximum characters of an incomplete line, and maximum number of incomplete lines, that are
   * buffered.
   */
  private static final int MOST_HELD = 16 << 20;

  private static final int MOST_STREAMS = 1_000;

  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Follow until the run ends.")
  private boolean follow;

  @Option(names = "--step", description = "Only lines of this step.")
  private @Nullable String step;

  @Option(names = "--visit", description = "Only lines of this visit of a step, from 1.")
  private @Nullable Integer visit;

  @Option(names = "--attempt", description = "Only lines of this attempt of a step, from 1.")
  private @Nullable Integer attempt;

  @Option(
      names = {"-n", "--tail"},
      description = "Only the last N lines; with -f also later ones.")
  private @Nullable Long tail;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Only lines from this time on: 2026-01-31T10:00:00Z, or 10m for 10 minutes ago.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Only lines from before this time, as for --since.")
  private @Nullable String until;

  @Option(
      names = "--from",
      paramLabel = "EPOCH:LINE",
      description = "Start with this line number, as shown by -o json.")
  private @Nullable String from;

  @Option(names = "--limit", description = "Maximum number of lines.")
  private @Nullable Long limit;

  /** Pieces of incomplete lines, by attempt and stream. */
  private final Map<String, StringBuilder> pieces = new HashMap<>();

  public LogsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    String run = RunRef.parse(id).id(context.client());
    String path =
        UrlQueryBuilder.of("/runs/" + run + "/logs")
            .with("step", step)
            .with("visit", visit)
            .with("attempt", attempt)
            .with("from", from)
            .with("since", time("--since", since))
            .with("until", time("--until", until))
            .with("tail", tail)
            .with("limit", limit)
            .with("follow", follow ? "true" : null)
            .toString();
    InputStream stream = open(path);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          print(line);
        }
      }
    } catch (IOException e) {
      throw CliException.of(
          CliExitCode.UNREACHABLE,
          context.client().server() + " closed the log stream early: " + e.getMessage(),
          e);
    }
  }

  /** Converts a time to the server's format. */
  private static @Nullable String time(String option, @Nullable String text) {
    if (text == null) {
      return null;
    }
    Optional<Duration> ago = DurationParser.parse(text);
    if (ago.isPresent()) {
      return Instant.now().minus(ago.get()).toString();
    }
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeException e) {
      throw CliException.of(
          CliExitCode.USAGE,
          option
              + " is '"
              + text
              + "'; allowed: a time as 2026-01-31T10:00:00Z, or how long ago as 10m",
          e);
    }
  }

  private InputStream open(String path) {
    Duration patience = follow ? OrchestratorRestClient.FOLLOW : OrchestratorRestClient.REQUEST;
    while (true) {
      try {
        return context.client().stream(path, "application/x-ndjson", Map.of(), patience);
      } catch (CliException e) {
        if (!follow || e.code() != CliExitCode.TIMEOUT) {
          throw e;
        }
        // No output so far, and the connection may be dead: a run may wait for a person for weeks.
      }
    }
  }

  /** Returns the complete line if this is its last piece; otherwise null. */
  private @Nullable String whole(JsonNode piece) {
    String text = piece.path("text").asText();
    boolean cut = piece.path("cut").asBoolean();
    if (!cut && pieces.isEmpty()) {
      return text;
    }
    String key =
        "%s %d %d %d %s"
            .formatted(
                piece.path("step").asText(),
                piece.path("visit").asInt(),
                piece.path("attempt").asInt(),
                piece.path("epoch").asInt(),
                piece.path("stream").asText());
    StringBuilder before = pieces.remove(key);
    if (before == null) {
      before = new StringBuilder();
    }
    before.append(text);
    if (cut && before.length() < MOST_HELD && pieces.size() < MOST_STREAMS) {
      pieces.put(key, before);
      return null;
    }
    return before.toString();
  }

  private void print(String line) {
    if (context.json()) {
      context.print(TextEscaper.json(line));
      return;
    }
    JsonNode piece = Json.tree(line.getBytes(StandardCharsets.UTF_8));
    String whole = whole(piece);
    if (whole == null) {
      return;
    }
    String prefix = step == null ? context.style().dim(piece.path("step").asText() + " | ") : "";
    String text = TextEscaper.printed(whole.stripTrailing(), !context.withoutColour());
    context.print(
        prefix
            + (piece.path("stream").asText().equals("stderr")
                ? context.style().attention(text)
                : text));
  }
}
