/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The result of reading a definition. */
public sealed interface WorkflowParseResult {
  /**
   * @param hash {@code sha256:} and 64 hex digits, of the canonical form's bytes; the same for YAML
   *     and JSON and any order of keys
   * @param canonical the definition as JSON with sorted keys and without {@code $schema}
   * @param warnings problems in a valid definition that are probably mistakes
   */
  record Valid(Workflow workflow, String hash, JsonNode canonical, List<DefinitionProblem> warnings)
      implements WorkflowParseResult {
    public Valid {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * @param problems all problems found, in the order of the text; at least one
   */
  record Invalid(List<DefinitionProblem> problems) implements WorkflowParseResult {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}
