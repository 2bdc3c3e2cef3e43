/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.AgentEvent;
import dev.baton.protocol.json.TextShortener;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts lines that a driver does not understand, by kind. Not thread-safe. */
public final class UnknownLineCounter {
  private static final int MOST_KINDS = 200;
  private static final int MOST_KIND = 128;
  private static final int EACH = 100;
  private final Map<String, Long> counts = new HashMap<>();

  /**
   * Counts a line.
   *
   * @return the event for the first of a kind and each hundredth, else null
   */
  public AgentEvent.@Nullable UnknownLine count(String kind, String line) {
    String name = TextShortener.truncate(kind, MOST_KIND);
    if (!counts.containsKey(name) && counts.size() >= MOST_KINDS) {
      name = "other";
    }
    long count = counts.merge(name, 1L, Long::sum);
    return count == 1 || count % EACH == 0
        ? new AgentEvent.UnknownLine(
            name, TextShortener.shorten(line, AgentEvent.MOST_TEXT / 16), count)
        : null;
  }
}
