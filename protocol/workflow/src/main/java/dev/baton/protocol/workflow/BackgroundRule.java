/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/**
 * What happens at a resume to processes that an agent has left running in the background. Of
 * several rules the first one that matches applies.
 *
 * @param match a pattern of the whole command, its words joined by spaces; {@code *} matches any
 *     characters
 * @param restart whether a matching process is started again
 */
public record BackgroundRule(String match, boolean restart) {
  /** The most rules of a step. */
  public static final int MAX_RULES = 20;

  /** The longest pattern, in characters. */
  public static final int MAX_PATTERN = 1_000;

  /** Whether it applies to a command. Takes time of at most pattern times command. */
  public boolean matches(String command) {
    int at = 0;
    int next = 0;
    int star = -1;
    int retry = 0;
    while (next < command.length()) {
      if (at < match.length() && match.charAt(at) == '*') {
        star = at++;
        retry = next;
      } else if (at < match.length() && match.charAt(at) == command.charAt(next)) {
        at++;
        next++;
      } else if (star >= 0) {
        at = star + 1;
        next = ++retry;
      } else {
        return false;
      }
    }
    while (at < match.length() && match.charAt(at) == '*') {
      at++;
    }
    return at == match.length();
  }
}
