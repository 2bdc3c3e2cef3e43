/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Collects the answers to a run's approvals from all sources. The first answer of an approval is
 * final. Thread-safe.
 */
final class ApprovalAnswerRegistry {
  private final Map<String, CompletableFuture<JsonNode>> byApproval = new ConcurrentHashMap<>();

  void give(String approval, JsonNode answer) {
    of(approval).complete(answer);
  }

  CompletableFuture<JsonNode> to(String approval) {
    return of(approval);
  }

  private CompletableFuture<JsonNode> of(String approval) {
    return byApproval.computeIfAbsent(approval, id -> new CompletableFuture<>());
  }
}
