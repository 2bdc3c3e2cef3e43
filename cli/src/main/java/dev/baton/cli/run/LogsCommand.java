/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.Client;
import dev.baton.cli.client.Query;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton logs ID [-f]}. */
@Command(
    name = "logs",
    description = "Show what a run's steps print. With -o json: one line of JSON per piece.")
public final class LogsCommand implements Runnable {
  private final Context context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the run ends.")
  private boolean follow;

  @Option(names = "--step", description = "Only this step's.")
  private @Nullable String step;

  public LogsCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    String run = RunRef.parse(id).id(context.client());
    String path =
        Query.of("/runs/" + run + "/logs")
            .with("step", step)
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
      throw CliFailure.of(
          ExitCode.UNREACHABLE,
          context.client().server() + " broke the stream of logs off: " + e.getMessage(),
          e);
    }
  }

  private InputStream open(String path) {
    Duration patience = follow ? Client.FOLLOW : Client.REQUEST;
    while (true) {
      try {
        return context.client().stream(path, "application/x-ndjson", Map.of(), patience);
      } catch (CliFailure e) {
        if (!follow || e.code() != ExitCode.TIMEOUT) {
          throw e;
        }
        // Nothing was printed so far, and the connection may be dead: a run may wait for a person
        // for weeks.
      }
    }
  }

  private void print(String line) {
    if (context.json()) {
      context.print(TextEscaper.json(line));
      return;
    }
    JsonNode piece = Json.tree(line.getBytes(StandardCharsets.UTF_8));
    String prefix = step == null ? context.style().dim(piece.path("step").asText() + " | ") : "";
    String text =
        TextEscaper.printed(piece.path("text").asText().stripTrailing(), !context.withoutColour());
    context.print(
        prefix
            + (piece.path("stream").asText().equals("stderr")
                ? context.style().attention(text)
                : text));
  }
}
