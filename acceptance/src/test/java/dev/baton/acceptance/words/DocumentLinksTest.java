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
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Relative links in documents lead to files that exist. */
class DocumentLinksTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling(".").normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final int LEAST_ROWS = 30;

  @TempDir Path folder;

  @Test
  void shouldLeadToFilesThatExist() throws IOException {
    assertThat(broken(ROOT)).isEmpty();
  }

  @Test
  void shouldFindALinkThatLeadsNowhere() throws IOException {
    Files.writeString(folder.resolve("here.md"), "[a](here.md#x) [b](gone.md) [c](https://x.org)");

    assertThat(broken(folder)).containsExactly("here.md: gone.md");
  }

  @Test
  void shouldShowContributorsWhereToChangeWhat() throws IOException {
    String text = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    String heading = "## Where to change what";
    assertThat(text).contains(heading);
    String map = text.substring(text.indexOf(heading), text.indexOf("## House rules"));

    assertThat(map.lines().filter(line -> LINK.matcher(line).find()).count())
        .isGreaterThanOrEqualTo(LEAST_ROWS);
  }

  private static List<String> broken(Path root) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path file : SourceFileFinder.find(root, ".md")) {
      Matcher link = LINK.matcher(Files.readString(file));
      while (link.find()) {
        String target = link.group(1).replaceFirst("#.*", "");
        if (!target.isEmpty()
            && !target.matches("[a-z]+:.*")
            && !Files.exists(file.resolveSibling(target))) {
          broken.add(root.relativize(file) + ": " + target);
        }
      }
    }
    return broken;
  }
}
