/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.Workflow;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches parsed definitions by their hash: many runs of a shared runner use the same one.
 * Thread-safe.
 */
public final class WorkflowCache {
  private static final int MAX = 256;

  private final Map<String, Workflow> byHash =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Workflow> eldest) {
          return size() > MAX;
        }
      };

  /**
   * @param canonical the definition's bytes, parsed if the hash is not cached
   * @throws IllegalArgumentException when they are not a definition
   */
  Workflow get(String hash, byte[] canonical) {
    Workflow known = find(hash);
    if (known != null) {
      return known;
    }
    Workflow parsed = Workflow.fromCanonical(Json.tree(canonical));
    synchronized (byHash) {
      byHash.put(hash, parsed);
    }
    return parsed;
  }

  private @Nullable Workflow find(String hash) {
    synchronized (byHash) {
      return byHash.get(hash);
    }
  }
}
