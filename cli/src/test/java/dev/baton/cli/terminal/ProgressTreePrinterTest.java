/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTreePrinterTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private ProgressTreePrinter tree(boolean isTerminal, boolean quiet) {
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return new ProgressTreePrinter(
        new Terminal(new ByteArrayInputStream(new byte[0]), stream, stream, isTerminal, isTerminal),
        new TerminalStyle(false),
        quiet);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldPrintALineForEachStepWhenItHasEnded() throws Exception {
    ProgressTreePrinter tree = tree(false, false);

    tree.title("Doing it...");
    tree.step("First", step -> "");
    tree.last("Second", step -> "15MB");
    tree.say("Done.");

    assertThat(printed())
        .isEqualTo(
            """
            Doing it...
              ├── First... done
              └── Second... done (15MB)

            Done.
            """);
  }

  @Test
  void shouldDrawABarOfBytesOnATerminal() throws Exception {
    tree(true, false)
        .last(
            "Fetching",
            step -> {
              step.progress(50, 100);
              return "";
            });

    assertThat(printed())
        .isEqualTo(
            "  └── Fetching...\r\u001b[K  └── Fetching... [████████████············] 50 % (50B of 100B)"
                + "\r\u001b[K  └── Fetching... done\n");
  }

  @Test
  void shouldMarkTheStepThatFailed() {
    ProgressTreePrinter tree = tree(false, false);

    assertThatThrownBy(
            () ->
                tree.step(
                    "Fetching",
                    step -> {
                      throw new IOException("gone");
                    }))
        .hasMessage("gone");
    assertThat(printed()).isEqualTo("  ├── Fetching... failed\n");
  }

  @Test
  void shouldPrintNothingWhereTheResultIsJson() throws Exception {
    ProgressTreePrinter tree = tree(true, true);

    tree.title("x");
    tree.step("y", step -> "z");
    tree.say("w");

    assertThat(printed()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "-1,0B",
    "999,999B",
    "1000,1.0KB",
    "9949,9.9KB",
    "9950,10KB",
    "999499,999KB",
    "999500,1.0MB",
    "15728640,16MB",
    "1073741824,1.1GB",
    "9223372036854775807,9.2EB"
  })
  void shouldWriteSizesForPeople(long bytes, String text) {
    assertThat(ByteSizeFormatter.of(bytes)).isEqualTo(text);
  }
}
