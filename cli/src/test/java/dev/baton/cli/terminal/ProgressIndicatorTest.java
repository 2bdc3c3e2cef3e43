/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressIndicatorTest {
  private final CountDownLatch printed = new CountDownLatch(1);
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Terminal terminal(boolean errIsTerminal) {
    PrintStream stream =
        new PrintStream(err, true, UTF_8) {
          @Override
          public void flush() {
            super.flush();
            printed.countDown();
          }
        };
    return new Terminal(
        new ByteArrayInputStream(new byte[0]), stream, stream, false, errIsTerminal);
  }

  @Test
  void shouldPrintALineAfterASecond() throws Exception {
    try (ProgressIndicator _ = ProgressIndicator.start(terminal(false), "waiting for a run")) {
      assertThat(printed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(err.toString(UTF_8)).startsWith("waiting for a run … ");
  }

  @Test
  void shouldPrintNothingForScripts() throws Exception {
    try (ProgressIndicator _ =
        ProgressIndicator.start(terminal(false).forScripts(), "waiting for a run")) {
      // Longer than the delay before the first line.
      assertThat(printed.await(1_500, TimeUnit.MILLISECONDS)).isFalse();
    }

    assertThat(terminal(true).forScripts().progress()).isTrue();
  }
}
