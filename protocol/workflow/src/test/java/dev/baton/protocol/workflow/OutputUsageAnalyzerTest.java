/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputUsageAnalyzerTest {
  private static OutputUsageAnalyzer use(String expression) {
    String yaml =
        """
        name: w
        steps:
          - id: much-text
            shell: seq 9
          - id: other
            transform: '%s'
        """
            .formatted(expression.replace("'", "''"));
    if (WorkflowParser.parse(yaml, DefinitionFormat.YAML)
        instanceof WorkflowParseResult.Valid valid) {
      return OutputUsageAnalyzer.of(valid.workflow());
    }
    throw new AssertionError("not a workflow: " + yaml);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".steps[\"much-text\"].output",
        ".steps.\"much-text\".output",
        ".steps | keys",
        ".steps[]",
        "[.steps[] | .output]",
        ". | keys",
        ".",
        "[..]",
      })
  void shouldFindWhatMayReadAnOutput(String expression) {
    assertThat(use(expression).reads("much-text")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", ".input", ".input | map(. + 1)", ".run.id", ".steps.other.outcome"})
  void shouldFindThatNothingReadsIt(String expression) {
    assertThat(use(expression.replace(".steps.other.outcome", ".run.labels")).reads("much-text"))
        .isFalse();
  }

  @Test
  void shouldTakeAParallelThatIsReadForAllItsSteps() {
    String yaml =
        """
        name: w
        steps:
          - id: many
            parallel:
              branches:
                a: [{id: inner, shell: seq 9}]
                b: [{id: too, shell: seq 9}]
          - id: other
            transform: .steps.many.output
        """;
    assertThat(
            WorkflowParser.parse(yaml, DefinitionFormat.YAML)
                    instanceof WorkflowParseResult.Valid valid
                && OutputUsageAnalyzer.of(valid.workflow()).reads("inner"))
        .isTrue();
  }
}
