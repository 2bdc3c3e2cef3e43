/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OutputBufferTest {
  private static OutputBuffer filled(int most, byte[] bytes, int part) {
    OutputBuffer buffer = new OutputBuffer(most);
    for (int at = 0; at < bytes.length; at += part) {
      byte[] piece = java.util.Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + part));
      buffer.add(piece, piece.length);
    }
    return buffer;
  }

  @Test
  void shouldKeepWhatFits() {
    assertThat(filled(20, "0123456789abcdefghij".getBytes(StandardCharsets.UTF_8), 7).text())
        .isEqualTo("0123456789abcdefghij");
  }

  @Test
  void shouldKeepBeginningAndEndOfAnyParts() {
    Random random = new Random(1);
    for (int length = 21; length < 200; length++) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) ('a' + random.nextInt(26));
      }
      String whole = new String(bytes, StandardCharsets.US_ASCII);

      String text = filled(20, bytes, 1 + random.nextInt(60)).text();

      assertThat(text)
          .isEqualTo(
              whole.substring(0, 10)
                  + "\n[… %d of %d bytes were cut here …]\n".formatted(length - 20, length)
                  + whole.substring(length - 10));
    }
  }

  @Test
  void shouldReplaceInvalidBytesAndCutNoCharacter() {
    assertThat(filled(20, new byte[] {'a', (byte) 0xff, 'b', 0}, 4).text())
        .isEqualTo("a\ufffdb\ufffd");
    byte[] bytes = "ä€🙂".repeat(30).getBytes(StandardCharsets.UTF_8);
    for (int most = 20; most < 40; most++) {
      assertThat(filled(most, bytes, 13).text()).doesNotContain("\ufffd");
    }
  }
}
