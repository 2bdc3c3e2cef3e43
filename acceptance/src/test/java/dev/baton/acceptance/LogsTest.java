/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.StackComponent;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Checks the logs of a whole stack: every line, in order, even if processes are killed. {@code
 * -Dbaton.log.lines=N} sets the size of bursts, {@code -Dbaton.log.width=N} the length of lines.
 */
@UsesSharedStack
class LogsTest {
  private static final Duration END = Duration.ofSeconds(300);
  private static final int LINES = Integer.getInteger("baton.log.lines", 200_000);

  /** Expected of the command on a busy machine. */
  private static final int BYTES_PER_SECOND = 2_000_000;

  private static final int WIDTH = Integer.getInteger("baton.log.width", 20);

  private final SharedStackExtension.RunningStack on;
  private final AcceptanceApiClient api;

  LogsTest(SharedStackExtension.RunningStack on) {
    this.on = on;
    this.api = on.api;
  }

  private static String padded(int number) {
    return ("%0" + WIDTH + "d").formatted(number);
  }

  private List<String> texts(String run, String... more) throws Exception {
    List<String> words = new ArrayList<>(List.of("logs", run, "-o", "json"));
    words.addAll(List.of(more));
    List<String> texts = new ArrayList<>();
    for (String line :
        BatonCliInvoker.run(on, words.toArray(String[]::new)).out().lines().toList()) {
      JsonNode piece = AcceptanceApiClient.JSON.readTree(line);
      texts.add(piece.path("text").asText());
    }
    return texts;
  }

  /** Compares line by line: the output may be larger than memory. */
  private void assertEveryLine(String run) throws Exception {
    Path out = on.folder.resolve("logs-" + run);
    int seconds = 60 + (int) ((long) LINES * WIDTH / BYTES_PER_SECOND);
    assertThat(BatonCliInvoker.run(on, out, seconds, "logs", run, "-o", "json")).isZero();
    int number = 0;
    try (BufferedReader lines = Files.newBufferedReader(out)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode piece = AcceptanceApiClient.JSON.readTree(line);
        assertThat(piece.path("text").asText()).isEqualTo(padded(++number));
      }
    }
    assertThat(number).isEqualTo(LINES);
    Files.delete(out);
  }

  @Test
  void shouldGiveEveryLineOfABurstAndTheLastOnesAtOnce() throws Exception {
    api.push(
        """
        name: burst
        steps:
          - {id: much, output: none, workspace: none, shell: 'seq -f %%0%d.0f %d'}
        """
            .formatted(WIDTH, LINES));
    String run = api.start("burst", AcceptanceApiClient.JSON.createObjectNode());
    api.awaitStatus(run, "completed", END);

    assertEveryLine(run);
    assertThat(texts(run, "--tail", "3"))
        .isEqualTo(IntStream.rangeClosed(LINES - 2, LINES).mapToObj(i -> padded(i)).toList());
    assertThat(texts(run, "--from", "1:" + (LINES / 2), "--limit", "2"))
        .containsExactly(padded(LINES / 2), padded(LINES / 2 + 1));
  }

  @Test
  void shouldKeepTheLinesOfAKilledRunnerWhileKafkaGoesAway() throws Exception {
    Path marker = on.folder.resolve("logs-marker-" + System.nanoTime());
    api.push(
        """
        name: killed
        input: {type: object}
        steps:
          - {id: much, output: none, workspace: none, shell: 'if [ -e "$MARKER" ]; then echo again; else seq %d; touch "$MARKER"; sleep 600; fi', env: {MARKER: "${{ .input.marker }}"}}
        """
            .formatted(LINES));
    String run =
        api.start(
            "killed", AcceptanceApiClient.JSON.createObjectNode().put("marker", marker.toString()));
    Await.until("all is printed", END, () -> Files.exists(marker));
    on.stack.restart(StackComponent.KAFKA);
    RunnerProcessHandle.of(run).ifPresent(runner -> runner.kill(true));
    api.awaitStatus(run, "completed", END);

    List<String> texts = texts(run);
    assertThat(texts.subList(0, LINES))
        .as("the next runner has the disk of the one before")
        .isEqualTo(IntStream.rangeClosed(1, LINES).mapToObj(Integer::toString).toList());
    assertThat(texts.getLast()).isEqualTo("again");
  }
}
