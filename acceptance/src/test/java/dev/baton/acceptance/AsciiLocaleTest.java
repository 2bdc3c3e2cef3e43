/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts a whole stack without a locale, in a folder whose name is not ASCII. */
class AsciiLocaleTest {
  private static final int MINUTES = 4;
  private static final String TEXT = "Zoë 😀 · Grün";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path data;

  private record Result(int code, String out, String err) {}

  @BeforeEach
  void start() throws Exception {
    data = Files.createDirectories(folder.resolve("Ablage für Läufe"));
    Result up = baton("up");
    assertThat(up.code()).as("%s", up).isZero();
  }

  @AfterEach
  void stop() throws Exception {
    baton("down");
  }

  private Result baton(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(Path.of("..", "baton").toAbsolutePath().normalize().toString()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_DATA", data.toString());
    builder.environment().remove("BATON_SERVER");
    Process process = builder.start();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError(command + " took over " + MINUTES + " min");
    }
    return new Result(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  @Test
  void shouldKeepEveryTextFromTheCommandLineToAFileAndBack() throws Exception {
    Path workflow =
        Files.writeString(
            folder.resolve("Ablauf ä.yaml"),
            """
            name: texts
            steps:
              - id: write
                shell: printf '%s' "$NAME" > "Übersicht $NAME.txt"; printf 'Größe %s' "$NAME" >&2
                env: {NAME: "${{ .input.name }}"}
                output: {file: "Übersicht ZZ.txt"}
              - {id: list, shell: "ls; printf '%s' \\"$NAME\\"", env: {NAME: "${{ .input.name }} ✓"}}
              - {id: both, transform: '[.steps.write.output, .steps.list.output]'}
            """
                .replace("ZZ", TEXT));

    Result run = baton("run", workflow.toString(), "-i", "name=" + TEXT, "--wait", "-o", "json");

    assertThat(run.code()).as("%s", run).isZero();
    JsonNode ended = AcceptanceApiClient.JSON.readTree(run.out());
    assertThat(ended.path("output").path(0).asText()).isEqualTo(TEXT);
    assertThat(ended.path("output").path(1).asText())
        .isEqualTo("Übersicht " + TEXT + ".txt\n" + TEXT + " ✓");
    String id = ended.path("id").asText();
    assertThat(baton("logs", id).out()).as("what the step printed").contains("Größe " + TEXT);
  }
}
