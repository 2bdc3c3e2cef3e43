/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;

/**
 * Matches tool calls with patterns: the name of a tool, or the name with a beginning of its main
 * input in parentheses, as {@code Bash(git push*)}; {@code *} matches any text.
 */
final class ToolPattern {
  private ToolPattern() {}

  /** Whether one of the patterns fits a call. */
  static boolean anyMatches(List<String> patterns, String tool, String input) {
    return patterns.stream().anyMatch(pattern -> matches(pattern, tool, input));
  }

  private static boolean matches(String pattern, String tool, String input) {
    int open = pattern.indexOf('(');
    if (open < 0 || !pattern.endsWith(")")) {
      return like(pattern, tool);
    }
    return like(pattern.substring(0, open), tool)
        && like(pattern.substring(open + 1, pattern.length() - 1), input);
  }

  /** Matches with {@code *} as any text, in linear time for each star. */
  private static boolean like(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int mark = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        mark = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++mark;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }
}
