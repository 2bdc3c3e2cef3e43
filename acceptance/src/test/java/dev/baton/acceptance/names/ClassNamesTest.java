/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The names of the product's types keep the rules, and each rule finds what breaks it. */
class ClassNamesTest {
  private static List<String> names = List.of();

  @BeforeAll
  static void read() throws IOException {
    names = ClassNameRules.read(Path.of("").toAbsolutePath().resolveSibling("."));
    assertThat(names).hasSizeGreaterThan(900);
  }

  @Test
  void shouldHaveFewNamesOfOneWord() {
    assertThat(ClassNameRules.oneWordPercent(names))
        .isLessThanOrEqualTo(ClassNameRules.MAX_ONE_WORD_PERCENT);
  }

  @Test
  void shouldHaveNoGerundOrParticipleAsAName() {
    assertThat(ClassNameRules.verbForms(names)).isEmpty();
  }

  @Test
  void shouldUseNoSimpleNameTwice() {
    assertThat(ClassNameRules.duplicates(names)).isEmpty();
  }

  @Test
  void shouldFindNamesThatBreakTheRules() {
    List<String> planted = List.of("a.Keeping", "a.Attached", "a.RunLease", "b.RunLease", "a.Run");

    assertThat(ClassNameRules.oneWordPercent(planted)).isEqualTo(60);
    assertThat(ClassNameRules.verbForms(planted)).containsExactly("a.Keeping", "a.Attached");
    assertThat(ClassNameRules.duplicates(planted))
        .containsOnly(java.util.Map.entry("RunLease", List.of("a.RunLease", "b.RunLease")));
  }
}
