/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an agent that have begun and not ended; of more than 10,000 the oldest are
 * forgotten.
 */
public final class PendingToolCalls {
  private static final int MOST = 10_000;
  private final Map<String, PendingCall> open = new LinkedHashMap<>();

  /** A call that has begun. */
  public record PendingCall(String tool, ToolInput input, String parent) {}

  /**
   * @return false when the call has begun before
   */
  public boolean begin(String id, String tool, ToolInput input, String parent) {
    if (open.putIfAbsent(id, new PendingCall(tool, input, parent)) != null) {
      return false;
    }
    if (open.size() > MOST) {
      open.remove(open.keySet().iterator().next());
    }
    return true;
  }

  /** Removes and returns a call; null for one that is not open. */
  public @Nullable PendingCall end(String id) {
    return open.remove(id);
  }

  /** The call; null for one that is not open. */
  public @Nullable PendingCall find(String id) {
    return open.get(id);
  }
}
