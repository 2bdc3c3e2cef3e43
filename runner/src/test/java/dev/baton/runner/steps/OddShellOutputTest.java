/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.ShellOutput;
import dev.baton.runner.process.StepProcessResult;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON that a step writes is the same after a resume, or the step fails. */
class OddShellOutputTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"limit\": 1e400}",
        "[1E-400, -1e400, 9007199254740993, 3.14159265358979323846]",
        "{\"a\": 1, \"a\": 2}",
        "-0",
        "\"\\u0000\\ud83d\\ude00\""
      })
  void shouldBeTheSameAfterItIsStored(String text) throws IOException {
    JsonNode output = read(text);

    assertThat(Json.tree(Json.bytes(output))).isEqualTo(output);
  }

  @Test
  void shouldStayANumber() throws IOException {
    JsonNode limit = read("{\"limit\": 1e400}").get("limit");

    assertThat(limit.isNumber()).isTrue();
    assertThat(Json.tree(Json.bytes(limit)).isNumber()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1e999999999", "1e-20000", "NaN", "[Infinity]", "\"\\ud800\"", "", " ", "{"})
  void shouldFailWithWhatCannotBeKept(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("standard output");
  }

  private static JsonNode read(String text) throws IOException {
    return ShellOutputReader.read(
        new ShellOutput.Stdout(ShellOutput.As.JSON),
        new StepProcessResult.Exited(0, text.getBytes(StandardCharsets.UTF_8), false, 0),
        Path.of("."),
        Path.of("."),
        true,
        new SecretMasker());
  }
}
