/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.expression.Template;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepFlowTest {
  private static final StepFlow FLOW =
      WorkflowParserTest.valid(
              """
              name: flow
              steps:
                - {id: a, transform: '1', next: [{when: .steps.a.output > 2, to: c}, {when: .steps.a.output > 1, to: end}]}
                - {id: b, transform: '1', next: a, max_visits: 2}
                - {id: c, transform: '1'}
              """)
          .workflow()
          .flow();

  private static ExpressionScope output(int value) throws IOException {
    JsonNode steps = new ObjectMapper().readTree("{\"a\":{\"output\":" + value + "}}");
    return ExpressionScope.of(NullNode.getInstance(), steps, NullNode.getInstance());
  }

  @ParameterizedTest
  @CsvSource({"a,3,c", "a,2,", "a,1,b", "b,1,a", "c,1,"})
  void shouldGoOn(String from, int value, String to) throws IOException {
    Step step = FLOW.find(from).orElseThrow();

    assertThat(FLOW.after(step, StepOutcome.SUCCESS, output(value)))
        .contains(new StepFlow.Way(Optional.ofNullable(to).flatMap(FLOW::find)));
  }

  private static final StepFlow GRAPH =
      WorkflowParserTest.valid(
              """
              name: graph
              steps:
                - id: a
                  transform: '1'
                  next:
                    - {on: failure, when: '.steps.a.error.code == "exit_code"', to: c}
                    - {on: any, when: .steps.a.output == 7, weight: 5, to: d}
                    - {when: .steps.a.output == 7, to: c}
                - {id: b, transform: '1', gate: a}
                - {id: c, transform: '1', next: [{on: failure, to: end}]}
                - {id: d, transform: '1'}
              """)
          .workflow()
          .flow();

  /** The successor by the outcome, and for a failure by its code: a step, the end, or none. */
  @ParameterizedTest
  @CsvSource({
    "a,SUCCESS,1,,b",
    "a,SUCCESS,7,,d",
    "a,SKIPPED,1,,b",
    "a,FAILURE,7,,d",
    "a,FAILURE,1,exit_code,c",
    "a,FAILURE,1,timeout,nowhere",
    "b,FAILURE,1,timeout,end",
    "b,SUCCESS,1,,c",
    "c,FAILURE,1,timeout,end",
    "d,FAILURE,1,timeout,nowhere",
    "d,SUCCESS,1,,end"
  })
  void shouldGoOnByOutcome(String from, StepOutcome outcome, int value, String code, String to)
      throws IOException {
    JsonNode steps =
        new ObjectMapper()
            .readTree(
                "{\"%s\":{\"output\":%d,\"error\":{\"code\":\"%s\"}}}"
                    .formatted(from, value, code));
    ExpressionScope scope =
        ExpressionScope.of(NullNode.getInstance(), steps, NullNode.getInstance());

    Optional<StepFlow.Way> way = GRAPH.after(GRAPH.find(from).orElseThrow(), outcome, scope);

    Optional<StepFlow.Way> expected =
        switch (to) {
          case "nowhere" -> Optional.empty();
          case "end" -> Optional.of(StepFlow.Way.END);
          default -> Optional.of(new StepFlow.Way(GRAPH.find(to)));
        };
    assertThat(way).isEqualTo(expected);
  }

  /**
   * A gate's condition may name steps that can run after its step, and so may the steps that it
   * leads back to.
   */
  @Test
  void shouldKnowWhatAGateSees() {
    WorkflowParserTest.valid(
        """
        name: gates
        steps:
          - {id: a, transform: '1', gate: {when: .steps.c.output > 1, to: b}}
          - {id: b, transform: .steps.c.output}
          - {id: c, transform: '2'}
        """);
  }

  @ParameterizedTest
  @CsvSource({
    "200ms,200",
    "5s,5000",
    "1h30m,5400000",
    "7d,604800000",
    "PT1.5S,1500",
    "0s,0",
    "3653d,315619200000"
  })
  void shouldReadDurations(String text, long millis) {
    assertThat(DurationParser.parse(text)).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({
    "5",
    "''",
    "-5s",
    "5 s",
    "s",
    "1m1h",
    "3654d",
    "PT-1S",
    "P",
    "five",
    "999999999999999999999d",
    "1.5s"
  })
  void shouldNotReadOtherDurations(String text) {
    assertThat(DurationParser.parse(text)).isEmpty();
  }

  @Test
  void shouldBackOff() {
    StepRetryPolicy retry = new StepRetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofSeconds(3));

    assertThat(retry.delayAfter(1)).isEqualTo(Duration.ofSeconds(1));
    assertThat(retry.delayAfter(2)).isEqualTo(Duration.ofSeconds(2));
    assertThat(retry.delayAfter(3)).isEqualTo(Duration.ofSeconds(3));
    assertThat(retry.delayAfter(1_000_000)).isEqualTo(Duration.ofSeconds(3));
    assertThat(retry.allowsAfter(3)).isTrue();
    assertThat(retry.allowsAfter(4)).isFalse();
  }

  @Test
  void shouldEndWaits() throws IOException {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    ExpressionScope scope = output(5);

    assertThat(new WaitTime.For(Template.compile("${{ .steps.a.output }}s")).end(scope, start))
        .isEqualTo(start.plusSeconds(5));
    assertThat(new WaitTime.Until(Template.compile("2026-01-01T02:00:00+01:00")).end(scope, start))
        .isEqualTo("2026-01-01T01:00:00Z");
    assertThat(new WaitTime.Until(Template.compile("${{ .steps.a.output }}")).end(scope, start))
        .isEqualTo("1970-01-01T00:00:05Z");
    assertThatThrownBy(() -> new WaitTime.For(Template.compile("soon")).end(scope, start))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'soon'");
    assertThatThrownBy(
            () -> new WaitTime.Until(Template.compile("9999-01-01T00:00:00Z")).end(scope, start))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
