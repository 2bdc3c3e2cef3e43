/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExamplesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "approval",
        "fan-out",
        "release-report",
        "milestones",
        "agent-opencode",
        "agent-acp",
        "agent-loop",
        "agent-mcp"
      })
  void shouldBeValidWithoutWarnings(String name) throws IOException {
    WorkflowParseResult parsed = parse(name);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    WorkflowParseResult.Valid valid = (WorkflowParseResult.Valid) parsed;
    assertThat(valid.workflow().name()).isEqualTo(name);
    assertThat(valid.warnings()).isEmpty();
    assertThat(Workflow.fromCanonical(valid.canonical())).isEqualTo(valid.workflow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "approval",
        "fan-out",
        "release-report",
        "milestones",
        "agent-opencode",
        "agent-acp",
        "agent-loop",
        "agent-mcp"
      })
  void shouldMatchThePublishedSchema(String name) throws IOException {
    WorkflowParseResult.Valid valid = (WorkflowParseResult.Valid) parse(name);

    assertThat(PublishedSchema.violations(valid.canonical())).isEqualTo(List.of());
  }

  static WorkflowParseResult parse(String name) throws IOException {
    return WorkflowParser.parse(
        Files.readAllBytes(Path.of("..", "..", "examples", name + ".yaml")), DefinitionFormat.YAML);
  }
}
