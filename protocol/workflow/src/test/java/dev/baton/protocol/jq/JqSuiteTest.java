/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs jq's own test suites; every difference is listed with its reason. */
class JqSuiteTest {
  private static final Set<String> REASONS =
      Set.of(
          "binding",
          "bound",
          "captures",
          "integers",
          "json",
          "machine",
          "message",
          "modules",
          "range",
          "trimstr");

  private record Difference(String reason, String place) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jq-1.7.1.test",
        "jq-1.8.1.test",
        "onig-1.7.1.test",
        "onig-1.8.1.test",
        "base64-1.7.1.test",
        "base64-1.8.1.test",
        "uri-1.8.1.test"
      })
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldDifferOnlyWhereListed(String file) {
    List<Difference> listed = listed();
    Set<String> different = new TreeSet<>();
    List<JqSuite.Case> cases = JqSuite.read(file);
    for (JqSuite.Case test : cases) {
      if (!JqSuite.run(test).same()) {
        different.add(file + ":" + test.line());
      }
    }

    assertThat(cases).isNotEmpty();
    assertThat(different)
        .isEqualTo(
            listed.stream()
                .map(Difference::place)
                .filter(place -> place.startsWith(file))
                .collect(Collectors.toCollection(TreeSet::new)));
    assertThat(listed).allMatch(difference -> REASONS.contains(difference.reason()));
  }

  private static List<Difference> listed() {
    return JqSuite.text("differences.txt")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", 3))
        .map(parts -> new Difference(parts[0], parts[1]))
        .toList();
  }
}
