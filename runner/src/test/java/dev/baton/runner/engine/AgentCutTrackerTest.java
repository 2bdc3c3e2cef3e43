/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.AgentCutRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AgentCutTrackerTest {
  private final AtomicLong clock = new AtomicLong();
  private final List<String> notes = new ArrayList<>();

  private AgentCutTracker tracker(AgentCutRule rule) {
    return new AgentCutTracker(rule, clock::get, notes::add);
  }

  private static AgentCutRule when(String condition) {
    return new AgentCutRule.OnEvent(Expression.compile(condition));
  }

  private static TraceEvent plan(String... statuses) {
    ArrayNode items = Json.mapper().createArrayNode();
    for (int i = 0; i < statuses.length; i++) {
      items.addObject().put("text", "item " + i).put("status", statuses[i]);
    }
    return new TraceEvent.PlanUpdated("work", items);
  }

  @Test
  void shouldCutAtEachTurnOrNever() {
    assertThat(tracker(new AgentCutRule.EachTurn()).isDue()).isTrue();
    assertThat(tracker(new AgentCutRule.Never()).isDue()).isFalse();
    assertThat(tracker(new AgentCutRule.Never()).isEver()).isFalse();
  }

  @Test
  void shouldCutWhenAnItemOfThePlanIsCompleted() {
    AgentCutTracker tracker = tracker(new AgentCutRule.PlanItem());
    tracker.happened(plan("in_progress", "pending"));
    assertThat(tracker.isDue()).isFalse();

    tracker.happened(plan("completed", "in_progress"));
    assertThat(tracker.isDue()).isTrue();
    tracker.captured();
    tracker.happened(plan("completed", "in_progress"));
    assertThat(tracker.isDue()).as("the same item").isFalse();

    tracker.happened(plan("completed", "completed"));
    assertThat(tracker.isDue()).isTrue();
  }

  @Test
  void shouldCutWhenThePeriodHasPassed() {
    AgentCutTracker tracker = tracker(new AgentCutRule.Period(Duration.ofMinutes(5)));
    assertThat(tracker.isDue()).isFalse();

    clock.set(Duration.ofMinutes(5).toNanos());
    assertThat(tracker.isDue()).isTrue();
    tracker.captured();

    assertThat(tracker.isDue()).isFalse();
  }

  @Test
  void shouldCutAfterAnEventThatSatisfiesTheCondition() {
    AgentCutTracker tracker =
        tracker(when(".type == \"plan_updated\" and (.data.items | length) > 1"));
    tracker.happened(plan("pending"));
    assertThat(tracker.isDue()).isFalse();

    tracker.happened(plan("pending", "pending"));

    assertThat(tracker.isDue()).isTrue();
    assertThat(notes).isEmpty();
  }

  @Test
  void shouldCutAndNoteOnceWhenAConditionFails() {
    AgentCutTracker tracker = tracker(when(".data.items + 1 > 0"));
    tracker.happened(plan("pending"));
    tracker.happened(plan("pending"));

    assertThat(tracker.isDue()).isTrue();
    assertThat(notes).singleElement().asString().contains("'cut.when' failed", "plan_updated");
  }
}
