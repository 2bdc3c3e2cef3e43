/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of attacks names tests that exist. */
class SecurityTestsPageTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();
  private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(should\\w+)`");
  private static final int LEAST_TESTS = 60;

  @Test
  void shouldNameTestsThatExist() throws IOException {
    Map<String, List<Path>> files = tests();
    List<String> missing = new ArrayList<>();
    int named = 0;
    Matcher matcher = NAMED.matcher(Files.readString(ROOT.resolve("docs/security-tests.md")));
    while (matcher.find()) {
      named++;
      String method = "void " + matcher.group(2) + "(";
      boolean exists = false;
      for (Path file : files.getOrDefault(matcher.group(1), List.of())) {
        exists |= Files.readString(file).contains(method);
      }
      if (!exists) {
        missing.add(matcher.group());
      }
    }

    assertThat(missing).isEmpty();
    assertThat(named).isGreaterThanOrEqualTo(LEAST_TESTS);
  }

  /** The files of test classes by the simple names of the classes, which several modules share. */
  private static Map<String, List<Path>> tests() throws IOException {
    Map<String, List<Path>> files = new HashMap<>();
    for (Path file : SourceFileFinder.find(ROOT, "Test.java")) {
      String name = String.valueOf(file.getFileName());
      files
          .computeIfAbsent(
              name.substring(0, name.length() - ".java".length()), key -> new ArrayList<>())
          .add(file);
    }
    return files;
  }
}
