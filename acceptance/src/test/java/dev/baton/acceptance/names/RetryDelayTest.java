/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that retries take their delays from {@code Backoff}, with jitter: no other class doubles a
 * delay, and the bounds of Mutiny's retries, which add a jitter of 50 %, are named constants.
 */
class RetryDelayTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();

  /** The one class that calculates delays, and the policies that are not retries of callers. */
  private static final Set<String> ALLOWED =
      Set.of(
          "Backoff.java",
          // The documented retry policy of a step, set by the workflow.
          "StepRetryPolicy.java",
          // Restarts of one machine's own processes; its module depends on no other.
          "RestartBackoff.java",
          // Part of the consumer that both services share.
          "PartitionPositionTracker.java");

  private static final Pattern DOUBLED =
      Pattern.compile(
          "(?i)\\b\\w*(pause|delay|backoff|doubled)\\w*\\s*=\\s*[^;$]*(\\b2L? \\*|\\* 2\\b|<< |multipliedBy\\()"
              + "|\\w*(pause|delay|backoff)\\w*(\\(\\))?\\s*(<<|\\.multipliedBy\\((2\\b|1L <<))");

  private static final Pattern UNNAMED_BOUNDS =
      Pattern.compile("\\.withBackOff\\((?![A-Z_]+, [A-Z_]+\\))");

  @Test
  void shouldTakeEveryDelayFromBackoff() throws IOException {
    List<String> found = new ArrayList<>();
    int read = 0;
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(RetryDelayTest::isSource).toList()) {
        read++;
        String text = Files.readString(file);
        if (isWrong(text)) {
          found.add(ROOT.relativize(file).toString());
        }
      }
    }

    assertThat(read).isGreaterThan(500);
    assertThat(found).as("retry delays that do not come from Backoff").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pause = Math.min(2 * pause, LONGEST_PAUSE_MS);",
        "Duration doubled = pause.multipliedBy(2);",
        "sleep(FIRST_PAUSE_MS << (attempt - 1));",
        "Duration delay = FIRST.multipliedBy(1L << Math.min(attempt, 10));",
        ".retry().withBackOff(Duration.ofMillis(200), Duration.ofSeconds(2)).atMost(5)"
      })
  void shouldFindADelayOfItsOwn(String code) {
    assertThat(isWrong(code)).isTrue();
  }

  @Test
  void shouldAcceptMutinyWithNamedBounds() {
    assertThat(isWrong(".withBackOff(FIRST_BACKOFF, MAX_BACKOFF).indefinitely()")).isFalse();
  }

  private static boolean isWrong(String text) {
    return DOUBLED.matcher(text).find() || UNNAMED_BOUNDS.matcher(text).find();
  }

  private static boolean isSource(Path file) {
    String path = ROOT.relativize(file).toString().replace('\\', '/');
    return path.contains("src/main/java/")
        && path.endsWith(".java")
        && !path.contains("/target/")
        && !ALLOWED.contains(file.getFileName().toString());
  }
}
