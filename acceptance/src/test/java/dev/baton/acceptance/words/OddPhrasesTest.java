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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comments, messages and documents are written in plain English. */
class OddPhrasesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();

  /** May only fall. */
  private static final double MOST = 10.0;

  @TempDir Path folder;

  @Test
  void shouldUseFewOddPhrases() throws IOException {
    OddPhraseCounter counter = OddPhraseCounter.read(ROOT, List.of());

    assertThat(counter.words()).isGreaterThan(100_000);
    assertThat(counter.rate())
        .as("odd phrases in 10,000 words; build/words/count lists them")
        .isLessThanOrEqualTo(MOST);
  }

  @Test
  void shouldFindPhrasesInCommentsMessagesAndMarkdownButNotInCode() throws IOException {
    Files.createDirectories(folder.resolve("build/words"));
    Files.copy(
        ROOT.resolve("build/words/odd-phrases.txt"), folder.resolve("build/words/odd-phrases.txt"));
    Files.writeString(
        folder.resolve("A.java"),
        """
        /** Goes on when nobody {@code somebody} is there. */
        class A { String told = "the runner is told anew"; char c = '"'; int who; }
        """);
    Files.writeString(folder.resolve("a.md"), "Whoever asks is `told`.\n\nIt is no longer so.\n");

    OddPhraseCounter counter = OddPhraseCounter.read(folder, List.of());

    assertThat(counter.findings())
        .extracting(finding -> finding.phrase().toLowerCase(java.util.Locale.ROOT))
        .containsExactlyInAnyOrder("goes on", "nobody", "told", "anew", "whoever", "asks");
  }
}
