/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what a family strips from texts. */
class AgentFamilyTest {
  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "a<system-reminder>x</system-reminder> b,ab",
        "<system-reminder>x</system-reminder>,''",
        "<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>,c</system-reminder>",
        "<system-reminder>a</system-reminder>b<system-reminder>c</system-reminder>d,bd",
        "a<system-reminder>b,a<system-reminder>b",
        "</system-reminder>a,</system-reminder>a",
        "a,a"
      })
  void shouldStripReminders(String text, String left) {
    assertThat(AgentFamily.CLAUDE.strip(text)).isEqualTo(left);
    assertThat(AgentFamily.OPENCODE.strip(text)).isEqualTo(left);
    assertThat(AgentFamily.CODEX.strip(text)).isEqualTo(text);
  }

  /** A file that an agent has read may have been made for it. */
  @Test
  void shouldStripInTimeThatGrowsWithTheText() {
    String text = "<system-reminder>".repeat(1_000_000);

    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertThat(AgentFamily.CLAUDE.strip(text)).isEqualTo(text));
  }
}
