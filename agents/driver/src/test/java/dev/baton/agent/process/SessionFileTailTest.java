/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionFileTailTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private Path append(String text) throws IOException {
    return Files.writeString(
        folder.resolve("session.jsonl"),
        text,
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static List<String> read(SessionFileTail tail) throws IOException {
    List<String> rows = new ArrayList<>();
    tail.read(row -> rows.add(row.toString()));
    return rows;
  }

  @Test
  void shouldPassARowOnceAndOnlyWhenItIsWhole() throws Exception {
    SessionFileTail tail = SessionFileTail.fromStart(folder.resolve("session.jsonl"));
    assertThat(read(tail)).isEmpty();

    append("{\"a\":1}\n{\"b\":");
    assertThat(read(tail)).containsExactly("{\"a\":1}");

    append("\"ä\"}\n");
    assertThat(read(tail)).containsExactly("{\"b\":\"ä\"}");
    assertThat(read(tail)).isEmpty();
  }

  @Test
  void shouldStartAfterTheRowsThatThereAre() throws Exception {
    SessionFileTail tail = SessionFileTail.fromEnd(append("{\"a\":1}\n"));

    append("{\"b\":2}\n");

    assertThat(read(tail)).containsExactly("{\"b\":2}");
  }

  @Test
  void shouldSkipRowsThatAreDamagedOrTooLong() throws Exception {
    SessionFileTail tail = SessionFileTail.fromStart(append("garbage\n\n"));
    append("{\"a\":\"" + "x".repeat(16 << 20) + "\"}\n");
    append("{\"b\":2}\n");

    assertThat(read(tail)).containsExactly("{\"b\":2}");
  }
}
