/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.pattern.WildcardMatcher;

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
    return WildcardMatcher.matches(match, command);
  }
}
