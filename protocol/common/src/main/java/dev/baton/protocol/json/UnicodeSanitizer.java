/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

/**
 * Replaces unpaired surrogates in foreign text, so that it can be written as UTF-8 JSON: the
 * encoder rejects them, and an event that reports a failure must not fail itself. Thread-safe.
 */
public final class UnicodeSanitizer {
  private static final char REPLACEMENT = '\uFFFD';

  private UnicodeSanitizer() {}

  /** Returns the text with U+FFFD in place of each unpaired surrogate. */
  public static String of(String text) {
    int at = firstUnpaired(text, 0);
    if (at < 0) {
      return text;
    }
    StringBuilder repaired = new StringBuilder(text);
    while (at >= 0) {
      repaired.setCharAt(at, REPLACEMENT);
      at = firstUnpaired(repaired, at + 1);
    }
    return repaired.toString();
  }

  /** Whether every surrogate is part of a pair. */
  public static boolean isWellFormed(CharSequence text) {
    return firstUnpaired(text, 0) < 0;
  }

  private static int firstUnpaired(CharSequence text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      return i;
    }
    return -1;
  }
}
