/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextEscaperTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      ints = {
        0x00, 0x07, 0x08, 0x0b, 0x0c, 0x0d, 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xad, 0x061c,
        0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060,
        0x2066, 0x2069, 0x206f, 0x115f, 0x3164, 0xffa0, 0x2800, 0x034f, 0xfeff, 0xfff9, 0xfe00,
        0xfe0f, 0xfdd0, 0xfdd1, 0xe000, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0x1d173, 0x10ffff
      })
  void shouldMakeVisibleWhatATerminalObeysOrHides(int point) {
    String foreign = "a" + Character.toString(point) + "b";

    String shown = TextEscaper.escape(foreign);

    assertThat(shown).startsWith("a\\").endsWith("b").matches("[ -~]+");
    assertThat(TextEscaper.escape(shown)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Zoë Müller, naïve café",
        "日本語 한국어 עברית العربية",
        "e\u0301te\u0301, Vie\u0323\u0302t",
        "\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67 \uD83D\uDC4D\uD83C\uDFFD",
        "\u2764\uFE0F\u200D\uD83D\uDD25 1\uFE0F\u20E3 \uD83C\uDFF3\uFE0F\u200D\uD83C\uDF08",
        "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u0915\u094D\u200D\u0937",
        "two\nlines\tand a tab"
      })
  void shouldLeaveReadableWhatPeopleWrite(String text) {
    assertThat(TextEscaper.escape(text)).isEqualTo(text);
  }

  @Test
  void shouldShowThatMarksAreHeapedUp() {
    assertThat(TextEscaper.escape("z" + "\u0301".repeat(40))).contains("\\u0301");
    assertThat(TextEscaper.escape("\u0301z")).isEqualTo("\\u0301z");
  }

  @Test
  void shouldKeepWhatJsonMeans() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(20); length > 0; length--) {
        int point = random.nextInt(random.nextBoolean() ? 0x300 : Character.MAX_CODE_POINT + 1);
        text.appendCodePoint(point >= 0xD800 && point < 0xE000 ? ' ' : point);
      }
      String json = TextEscaper.json(JSON.writeValueAsString(TextNode.valueOf(text.toString())));

      assertThat(JSON.readTree(json).textValue()).as("seed %d", seed).isEqualTo(text.toString());
      assertThat(json.codePoints().filter(TextEscaperTest::isObeyed).toArray())
          .as("seed %d: %s", seed, json)
          .isEmpty();
    }
  }

  private static boolean isObeyed(int point) {
    int type = Character.getType(point);
    return type == Character.CONTROL
        || (type == Character.FORMAT && point != 0x200c && point != 0x200d)
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "red | E[31mred E[0mgone | true | E[31mred E[0mgoneE[0m",
        "red | E[31mred E[0mgone | false | red gone",
        "true colour | E[1;38;2;1;2;3mx | true | E[1;38;2;1;2;3mxE[0m",
        "hidden | aE[8mb | true | ab",
        "cursor | aE[2K\\rb | true | a\\x0db",
        "link | aE]8;;http://xE\\bE]8;;E\\ | true | ab",
        "open | aE]0;title | true | a\\x1b]0;title",
        "c1 | a\u009b2Jb | true | a\\x9b2Jb",
        "alone | aEcb | true | a\\x1bcb"
      })
  void shouldLeaveOnlyTheColoursOfWhatAStepPrints(
      String name, String line, boolean colour, String shown) {
    String raw = line.replace('E', '\u001b').replace("\\r", "\r");

    assertThat(ControlSequenceMarker.unmarked(TextEscaper.printed(raw, colour)))
        .as(name)
        .isEqualTo(shown.replace('E', '\u001b'));
  }

  @Test
  void shouldMarkWhatFollowsInTextOfSeveralLines() {
    assertThat(TextEscaper.block("Deploy?\r\n  baton approve other\n"))
        .isEqualTo("Deploy?\n  │   baton approve other");
    assertThat(TextEscaper.oneLine("one \r\n  two\rthree")).isEqualTo("one two\\x0dthree");
    assertThat(TextEscaper.oneLine("x".repeat(80), 10)).isEqualTo("x".repeat(9) + "…");
  }

  @Test
  void shouldPassNothingForeignWhoeverPrintsIt() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream raw = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), raw, raw, true, true);
    TerminalStyle style = new TerminalStyle(true);

    terminal.out().println("\u001b[31mforeign\u001b[0m " + style.good("own"));
    terminal.out().printf("%s%n", "\uFDD0\u001b[2J\uFDD1");
    terminal.err().println("x".repeat(8_190) + style.bad("own") + "\u202e");
    terminal.err().write('\u001b');
    new IllegalStateException("a\u001b]0;b\u0007").printStackTrace(terminal.err());
    terminal.out().flush();

    String text = bytes.toString(StandardCharsets.UTF_8);
    assertThat(text)
        .startsWith("\\x1b[31mforeign\\x1b[0m \u001b[32mown\u001b[0m\n\\ufdd0\\x1b[2J\\ufdd1\n")
        .contains("x\u001b[31mown\u001b[0m\\u202e\n")
        .contains("\\x1bjava.lang.IllegalStateException: a\\x1b]0;b\\x07");
    assertThat(text.replaceAll("\u001b\\[(?:32|31|0)m", "")).doesNotContain("\u001b");
  }
}
