/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import dev.baton.protocol.pattern.WildcardMatcher;
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
      return WildcardMatcher.matches(pattern, tool);
    }
    return WildcardMatcher.matches(pattern.substring(0, open), tool)
        && WildcardMatcher.matches(pattern.substring(open + 1, pattern.length() - 1), input);
  }
}
