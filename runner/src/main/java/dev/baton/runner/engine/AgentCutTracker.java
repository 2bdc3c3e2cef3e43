/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ExpressionException;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.AgentCutRule;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Decides which boundaries of one process of an agent become checkpoints. Thread-safe. */
final class AgentCutTracker {
  private static final String COMPLETED = "completed";

  private final AgentCutRule rule;
  private final LongSupplier nanos;
  private final Consumer<String> notes;
  private final Set<String> completed = new HashSet<>();
  private boolean happened;
  private boolean noted;
  private long since;

  /**
   * @param nanos monotonic clock in nanoseconds
   * @param notes receives, once, why a condition cannot be evaluated
   */
  AgentCutTracker(AgentCutRule rule, LongSupplier nanos, Consumer<String> notes) {
    this.rule = rule;
    this.nanos = nanos;
    this.notes = notes;
    this.since = nanos.getAsLong();
  }

  /** Whether any boundary can become a checkpoint. */
  boolean isEver() {
    return !(rule instanceof AgentCutRule.Never);
  }

  /** Whether the boundary that is reached now becomes a checkpoint. */
  synchronized boolean isDue() {
    return switch (rule) {
      case AgentCutRule.EachTurn _ -> true;
      case AgentCutRule.Never _ -> false;
      case AgentCutRule.Period(var period) -> nanos.getAsLong() - since >= period.toNanos();
      case AgentCutRule.PlanItem _, AgentCutRule.OnEvent _ -> happened;
    };
  }

  /** A boundary has become a checkpoint. */
  synchronized void captured() {
    happened = false;
    since = nanos.getAsLong();
  }

  /** An event of the agent is on its way to the log. */
  void happened(TraceEvent event) {
    switch (rule) {
      case AgentCutRule.PlanItem _ -> {
        if (event instanceof TraceEvent.PlanUpdated plan) {
          follow(plan.items());
        }
      }
      case AgentCutRule.OnEvent(var when) -> {
        String type = EventTypeRegistry.of(event).substring(EventTypeRegistry.PREFIX.length());
        boolean matches;
        try {
          matches = when.test(ExpressionScope.ofEvent(type, Json.mapper().valueToTree(event)));
        } catch (ExpressionException e) {
          // A checkpoint too many is better than none.
          matches = true;
          noteOnce("'cut.when' failed for an event " + type + ": " + e.getMessage());
        }
        if (matches) {
          mark();
        }
      }
      case AgentCutRule.EachTurn _, AgentCutRule.Never _, AgentCutRule.Period _ -> {
        // Their boundaries do not depend on events.
      }
    }
  }

  private synchronized void follow(JsonNode items) {
    for (JsonNode item : items) {
      if (item.path("status").asText().equals(COMPLETED)
          && completed.add(item.path("text").asText())) {
        happened = true;
      }
    }
  }

  private synchronized void mark() {
    happened = true;
  }

  private void noteOnce(String note) {
    synchronized (this) {
      if (noted) {
        return;
      }
      noted = true;
    }
    notes.accept(note);
  }
}
