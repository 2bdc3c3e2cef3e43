/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Collection;
import java.util.Optional;

/** Suggests similar names ("did you mean"). */
final class SpellingSuggester {
  private SpellingSuggester() {}

  /** Returns {@code "; did you mean 'x'?"}, or an empty text when no candidate is similar. */
  static String didYouMean(String given, Collection<String> candidates) {
    return nearest(given, candidates).map(near -> "; did you mean '" + near + "'?").orElse("");
  }

  static Optional<String> nearest(String given, Collection<String> candidates) {
    if (given.length() > 64) {
      return Optional.empty();
    }
    // Smaller than the name's length: otherwise every name would match a one-letter one.
    int limit = Math.min(given.length() <= 3 ? 1 : 2, given.length() - 1);
    String best = null;
    int bestDistance = limit + 1;
    for (String candidate : candidates) {
      if (Math.abs(candidate.length() - given.length()) < bestDistance) {
        int distance = distance(given, candidate);
        if (distance < bestDistance) {
          best = candidate;
          bestDistance = distance;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** Levenshtein distance, in which a swap of neighbors counts as one. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
