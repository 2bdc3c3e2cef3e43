/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import java.util.SplittableRandom;

/** Words and names of a synthetic code base. Few are frequent, as in any text. Immutable. */
final class SyntheticVocabulary {
  private static final String[] ONSETS = {
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pr", "cl",
    "re", "de", "con", "ex", "in", "un"
  };
  private static final String[] RIMES = {
    "a", "e", "i", "o", "u", "an", "er", "or", "al", "en", "ing", "ion", "ate", "ent", "ack", "ive",
    "ode", "ure", "ist", "op"
  };
  private static final int WORDS = 8_000;
  private static final int NAMES = 30_000;
  private static final int TOPIC = 1_500;

  private final String[] words = new String[WORDS];
  private final String[] names = new String[NAMES];

  SyntheticVocabulary(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < WORDS; i++) {
      StringBuilder word = new StringBuilder();
      for (int syllables = 1 + random.nextInt(3); syllables > 0; syllables--) {
        word.append(ONSETS[random.nextInt(ONSETS.length)]);
        word.append(RIMES[random.nextInt(RIMES.length)]);
      }
      words[i] = word.toString();
    }
    for (int i = 0; i < NAMES; i++) {
      StringBuilder name = new StringBuilder(word(random));
      for (int more = random.nextInt(3); more > 0; more--) {
        name.append(capital(word(random)));
      }
      names[i] = name.toString();
    }
  }

  /** Returns a word; those with small numbers are frequent. */
  String word(SplittableRandom random) {
    return words[skewed(random, WORDS)];
  }

  /**
   * Returns a name like {@code storeReader}, mostly one that other files of the same topic use,
   * too.
   */
  String name(int topic, SplittableRandom random) {
    if (random.nextInt(8) == 0) {
      return names[skewed(random, NAMES)];
    }
    int first = Math.floorMod(topic * 7_919, NAMES - TOPIC);
    return names[first + skewed(random, TOPIC)];
  }

  static String capital(String word) {
    return Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }

  static int skewed(SplittableRandom random, int bound) {
    double u = random.nextDouble();
    return (int) (bound * u * u * u);
  }
}
