/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that the YAML in docs/workflows.md is valid by the schema, and that its quoted messages
 * are exact.
 */
class ReferencePageTest {
  private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  private static String page() throws IOException {
    return Files.readString(Path.of("..", "..", "docs", "workflows.md"));
  }

  @Test
  void shouldShowDefinitionsThatAreRight() throws IOException {
    List<String> blocks = BLOCK.matcher(page()).results().map(match -> match.group(1)).toList();

    assertThat(blocks).hasSizeGreaterThan(5);
    for (String block : blocks) {
      String whole = block.startsWith("- ") ? "name: shown\nsteps:\n" + block : block;
      DefinitionProblemCollector problems = new DefinitionProblemCollector();
      LocatedNode tree =
          DefinitionReader.read(
              whole.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML, problems);
      assertThat(problems.errors()).isEmpty();
      assertThat(tree).isNotNull();
      assertThat(PublishedSchema.violations(tree.toJson())).describedAs(block).isEmpty();
    }
  }

  @Test
  void shouldQuoteAProblemAsItIsSaid() throws IOException {
    String said =
        BadDefinitionsTest.problems(
                "name: w\n\n\n\n\n\n\n\nsteps:\n- {id: a, transform: '1'}\n\n- {id: b, transform: .steps.c.output}\n",
                DefinitionFormat.YAML)
            .getFirst();

    assertThat(page()).contains(said);
  }
}
