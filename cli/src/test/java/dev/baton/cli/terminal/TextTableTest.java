/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTableTest {
  @Test
  void shouldAlignColumnsWhateverTheirCellsHold() {
    TextTable table =
        new TextTable("A", "LONG HEADING", "C")
            .row("café", "x\n y", "end")
            .row(new TerminalStyle(true).good("ok"), "", "z".repeat(100));

    String text = print(table, new TerminalStyle(false));

    assertThat(text)
        .isEqualTo(
            "A     LONG HEADING  C\n"
                + "café  x y           end\n"
                + "\u001b[32mok\u001b[0m                  "
                + "z".repeat(71)
                + "…\n");
  }

  @ParameterizedTest
  @CsvSource({
    "3,3 ms",
    "1500,1.5 s",
    "125000,2 min 5 s",
    "11040000,3 h 4 min",
    "442800000,5 d 3 h",
    "-5,0 ms"
  })
  void shouldWriteDurationsForPeople(long millis, String text) {
    assertThat(TimeFormatter.duration(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void shouldGiveNoColourToNothing() {
    assertThat(new TerminalStyle(true).attention("")).isEmpty();
  }

  private static String print(TextTable table, TerminalStyle style) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), style);
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
