/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackgroundRuleTest {
  @ParameterizedTest
  @CsvSource({
    "npm run dev*, npm run dev, true",
    "npm run dev*, npm run dev --port 80, true",
    "npm run dev, npm run dev --port 80, false",
    "npm run dev*, sh -c npm run dev, false",
    "*npm*dev, sh -c npm run dev, true",
    "*, anything, true",
    "a*b*c, axxbxxbc, true",
    "a*b*c, axxbxxbcd, false",
    "a.c, abc, false",
  })
  void shouldMatchTheWholeCommand(String pattern, String command, boolean matches) {
    assertThat(new BackgroundRule(pattern, true).matches(command)).isEqualTo(matches);
  }

  @Test
  void shouldMatchInBoundedTime() {
    BackgroundRule rule = new BackgroundRule("*a".repeat(400) + "b", true);

    long start = System.nanoTime();
    boolean matches = rule.matches("a".repeat(1_000));

    assertThat(matches).isFalse();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }
}
