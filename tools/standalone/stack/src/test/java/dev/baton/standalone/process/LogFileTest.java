/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {

  @TempDir Path folder;

  @Test
  void shouldPutTheEarlierPartAsideWhileTheProcessGoesOnWriting() throws Exception {
    Path path = folder.resolve("a.log");
    LogFile log = new LogFile(path, 10);
    log.bound();
    try (var writer =
        Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      writer.write("0123456789".getBytes());
      log.bound();
      assertThat(folder.resolve("a.log.1")).doesNotExist();
      writer.write("ab".getBytes());
      log.bound();
      writer.write("more".getBytes());
    }
    assertThat(path).hasContent("more");
    assertThat(folder.resolve("a.log.1")).hasContent("0123456789ab");
  }

  @Test
  void shouldFindALineThatComesInPieces() throws Exception {
    Path path = folder.resolve("b.log");
    Files.writeString(path, "ready 1\n");
    LogLineScanner search = new LogLineScanner(Pattern.compile("^ready \\d+$"), path, 8);
    assertThat(search.found()).as("of an earlier start").isFalse();
    append(path, "starting…\nrea");
    assertThat(search.found()).isFalse();
    append(path, "dy 70");
    assertThat(search.found()).as("a line without its end").isFalse();
    append(path, "70\nand more");
    assertThat(search.found()).isTrue();
    assertThat(search.found()).as("checked again").isTrue();
  }

  @Test
  void shouldWaitForALogThatIsNotThereYet() {
    assertThat(new LogLineScanner(Pattern.compile("x"), folder.resolve("none"), 0).found())
        .isFalse();
  }

  private static void append(Path path, String text) throws Exception {
    Files.writeString(path, text, StandardOpenOption.APPEND);
  }
}
