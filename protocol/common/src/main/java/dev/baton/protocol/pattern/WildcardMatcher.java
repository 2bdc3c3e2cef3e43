/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.pattern;

/** Matches texts with patterns in which {@code *} stands for any text, also none. */
public final class WildcardMatcher {
  private WildcardMatcher() {}

  /** Whether a pattern matches a whole text. Takes time of at most pattern times text. */
  public static boolean matches(String pattern, String text) {
    int at = 0;
    int next = 0;
    int star = -1;
    int retry = 0;
    while (next < text.length()) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        retry = next;
      } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(next)) {
        at++;
        next++;
      } else if (star >= 0) {
        at = star + 1;
        next = ++retry;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }
}
