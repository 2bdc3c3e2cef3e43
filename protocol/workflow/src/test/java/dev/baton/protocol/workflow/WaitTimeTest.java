/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitTimeTest {
  private static final Instant THEN = Instant.parse("2026-05-01T12:00:00Z");
  private static final ExpressionScope SCOPE =
      ExpressionScope.of(
          NullNode.getInstance(),
          Json.mapper().createObjectNode(),
          Json.mapper().createObjectNode());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1777636800",
        "'1777636800'",
        "2026-05-01T12:00:00Z",
        "'${{ 1777636800 }}'",
        "'${{ \"1777636800\" }}'",
        "'${{ 1777636000 + 800 }}'",
        "'${{ \"2026-05-01T14:00:00+02:00\" }}'",
      })
  void shouldWaitUntilTheSameMomentHoweverItIsWritten(String until) {
    assertThat(wait(until).end(SCOPE, THEN.minusSeconds(5))).isEqualTo(THEN);
  }

  @Test
  void shouldNameWhatIsNoTime() {
    for (String bad : new String[] {"'${{ 1.5 }}'", "'${{ \"soon\" }}'", "'${{ 1e30 }}'"}) {
      assertThatThrownBy(() -> wait(bad).end(SCOPE, THEN))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not a time; allowed: such as");
    }
    assertThatThrownBy(() -> wait("9999999999").end(SCOPE, THEN))
        .hasMessageContaining("more than ten years away");
  }

  private static WaitTime wait(String until) {
    Workflow workflow =
        WorkflowParserTest.valid("name: w\nsteps: [{id: a, wait: {until: " + until + "}}]\n")
            .workflow();
    return ((StepKind.Wait) workflow.flow().first().kind()).time();
  }
}
