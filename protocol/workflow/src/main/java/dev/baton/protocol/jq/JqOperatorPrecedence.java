/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import java.util.Map;

/** The precedence of jq's binary operators, without the pipe, which has the lowest. */
final class JqOperatorPrecedence {
  static final int COMMA = 0;
  static final int ALTERNATIVE = 1;
  static final int ASSIGN = 2;
  static final int COMPARE = 5;
  static final int TIMES = 7;
  private static final Map<String, Integer> LEVELS =
      Map.ofEntries(
          Map.entry(",", COMMA),
          Map.entry("//", ALTERNATIVE),
          Map.entry("=", ASSIGN),
          Map.entry("|=", ASSIGN),
          Map.entry("+=", ASSIGN),
          Map.entry("-=", ASSIGN),
          Map.entry("*=", ASSIGN),
          Map.entry("/=", ASSIGN),
          Map.entry("%=", ASSIGN),
          Map.entry("//=", ASSIGN),
          Map.entry("or", 3),
          Map.entry("and", 4),
          Map.entry("==", COMPARE),
          Map.entry("!=", COMPARE),
          Map.entry("<", COMPARE),
          Map.entry("<=", COMPARE),
          Map.entry(">", COMPARE),
          Map.entry(">=", COMPARE),
          Map.entry("+", 6),
          Map.entry("-", 6),
          Map.entry("*", TIMES),
          Map.entry("/", TIMES),
          Map.entry("%", TIMES));

  private JqOperatorPrecedence() {}

  /** Returns -1 for text that is not a binary operator. */
  static int of(String operator) {
    return LEVELS.getOrDefault(operator, -1);
  }
}
