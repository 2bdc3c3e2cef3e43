/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.fork.ForkResult;
import java.util.Locale;

/** Writes the figures as Markdown. */
public final class ForkMarkdownWriter {
  private ForkMarkdownWriter() {}

  /** Returns a page with the table. */
  public static String of(ForkResult result) {
    StringBuilder page = new StringBuilder("# Forks\n\n");
    page.append(result.at()).append(", ").append(result.machine()).append(".\n");
    page.append(
        String.format(
            Locale.ROOT,
            "%d forks of each parent, by turns. Times from the request; a fork has two steps, of"
                + " which one writes a file.%n%n",
            result.samples()));
    page.append(
        "| parent: steps | files | fork answered p50 | max | to the first | fork completed p50 | max |"
            + " stored per fork |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    double first = result.rows().getFirst().answered().millis(50);
    for (ForkResult.Row row : result.rows()) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %,d | %,d MB | %.0f ms | %.0f ms | %.2f | %,.0f ms | %,.0f ms | %,.1f kB |%n",
              row.parent().steps(),
              row.parent().megabytes(),
              row.answered().millis(50),
              row.answered().millis(100),
              row.answered().millis(50) / first,
              row.completed().millis(50),
              row.completed().millis(100),
              row.storedBytes() / 1000.0));
    }
    return page.toString();
  }
}
