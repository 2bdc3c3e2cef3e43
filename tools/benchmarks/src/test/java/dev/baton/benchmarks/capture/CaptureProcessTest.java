/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a shell that responds in its place. */
class CaptureProcessTest {
  private static final ObjectNode REQUEST = Json.mapper().createObjectNode().put("do", "capture");

  @TempDir Path folder;

  @Test
  void shouldMeasureFromTheRequestToTheAnswer() throws Exception {
    try (CaptureProcess process = process("read line; echo '{\"ok\":true}'; read line")) {
      assertThat(process.ask(REQUEST).wallS()).isPositive();
    }
  }

  @Test
  void shouldTellWhyItCannotDoWhatItWasAskedTo() throws Exception {
    try (CaptureProcess process =
        process("read line; echo '{\"error\":\"no space\"}'; read line")) {
      assertThatThrownBy(() -> process.ask(REQUEST))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("capture: no space");
    }
  }

  @Test
  void shouldTellWhatItSaidLast() throws Exception {
    try (CaptureProcess process = process("read line; echo 'out of memory' >&2")) {
      assertThatThrownBy(() -> process.ask(REQUEST))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has ended")
          .hasMessageContaining("out of memory");
    }
  }

  @Test
  @Timeout(60)
  void shouldNotWaitForAnAnswerWhenItIsInterrupted() throws Exception {
    Path asked = folder.resolve("asked");
    assertThat(new ProcessBuilder("mkfifo", asked.toString()).start().waitFor()).isZero();
    try (CaptureProcess process = process("read line; echo it > '" + asked + "'; read line")) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread asking =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      process.ask(REQUEST);
                      thrown.complete(new AssertionError("it has answered"));
                    } catch (IOException | InterruptedException e) {
                      thrown.complete(e);
                    }
                  });
      assertThat(Files.readString(asked)).isEqualTo("it\n");
      asking.interrupt();

      assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    }
  }

  private CaptureProcess process(String script) throws IOException {
    Path log = Files.createFile(folder.resolve("log"));
    return new CaptureProcess(
        new ProcessBuilder("sh", "-c", script).redirectError(log.toFile()).start(), log);
  }
}
