/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * A tool call that an agent with its own login may make again, since it had begun after the
 * boundary from which the agent is resumed.
 *
 * @param id the agent's id of the call; the digest of its input where it has none
 * @param tool name; null where unknown
 * @param input beginning of its main input, at most {@value #MAX_INPUT} characters; null where
 *     unknown
 * @param outcome {@code ok} or {@code error}; null where its end was not reported
 */
public record RepeatedCall(
    String id, @Nullable String tool, @Nullable String input, @Nullable String outcome) {
  /** Calls in one event. */
  public static final int MAX_LISTED = 100;

  public static final int MAX_INPUT = 200;
}
