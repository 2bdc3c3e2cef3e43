/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellWorkflowFactoryTest {
  @ParameterizedTest
  @CsvSource({"false, false, 0", "true, true, 1"})
  void shouldCreateAValidWorkflow(boolean shared, boolean retries, int most) {
    WorkflowParseResult parsed =
        WorkflowParser.parse(ShellWorkflowFactory.yaml(10, shared, retries), DefinitionFormat.YAML);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    var steps = ((WorkflowParseResult.Valid) parsed).canonical().path("steps");
    assertThat(((WorkflowParseResult.Valid) parsed).workflow().isolation())
        .isEqualTo(shared ? IsolationMode.SHARED : IsolationMode.ISOLATED);
    assertThat(steps).hasSize(10);
    assertThat(steps.path(9).path("workspace").asText()).isEqualTo("none");
    assertThat(steps.path(9).path("retry").path("max").asInt()).isEqualTo(most);
  }
}
