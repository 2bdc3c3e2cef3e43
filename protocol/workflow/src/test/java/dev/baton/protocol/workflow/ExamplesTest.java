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
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExamplesTest {
  private static final Path FOLDER = Path.of("..", "..", "examples");

  /** Returns the names of all examples in YAML. */
  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .map(name -> name.substring(0, name.length() - ".yaml".length()))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldBeValidWithoutWarnings(String name) throws IOException {
    WorkflowParseResult parsed = parse(name);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    WorkflowParseResult.Valid valid = (WorkflowParseResult.Valid) parsed;
    assertThat(valid.workflow().name()).isEqualTo(name);
    assertThat(valid.warnings()).isEmpty();
    assertThat(Workflow.fromCanonical(valid.canonical())).isEqualTo(valid.workflow());
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldMatchThePublishedSchema(String name) throws IOException {
    WorkflowParseResult.Valid valid = (WorkflowParseResult.Valid) parse(name);

    assertThat(PublishedSchema.violations(valid.canonical())).isEqualTo(List.of());
  }

  static WorkflowParseResult parse(String name) throws IOException {
    return WorkflowParser.parse(
        Files.readAllBytes(FOLDER.resolve(name + ".yaml")), DefinitionFormat.YAML);
  }
}
