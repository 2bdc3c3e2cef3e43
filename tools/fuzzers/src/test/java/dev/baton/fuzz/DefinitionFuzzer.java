/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.runs.RunRequest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.io.IOException;

/** Definitions of workflows, requests and inputs. */
final class DefinitionFuzzer {
  private DefinitionFuzzer() {}

  static void yaml(byte[] input) {
    parse(input, DefinitionFormat.YAML);
  }

  static void json(byte[] input) {
    parse(input, DefinitionFormat.JSON);
  }

  static void dot(byte[] input) {
    parse(input, DefinitionFormat.DOT);
  }

  private static void parse(byte[] input, DefinitionFormat format) {
    switch (WorkflowParser.parse(input, format)) {
      case WorkflowParseResult.Invalid invalid ->
          FuzzAssert.require(!invalid.problems().isEmpty(), "names a problem");
      case WorkflowParseResult.Valid valid -> {
        byte[] canonical = WorkflowParser.bytes(valid.canonical());
        WorkflowParseResult again = WorkflowParser.parse(canonical, DefinitionFormat.JSON);
        FuzzAssert.require(
            again instanceof WorkflowParseResult.Valid, "its canonical form is valid: " + again);
        FuzzAssert.same(valid.hash(), ((WorkflowParseResult.Valid) again).hash());
        FuzzAssert.same(valid.workflow(), ((WorkflowParseResult.Valid) again).workflow());
      }
    }
  }

  static void request(byte[] input) {
    try {
      JsonBodyReader.read(input, RunRequest.class);
    } catch (ProblemException rejected) {
      // Becomes a response with status 400.
    }
  }

  static void input(byte[] input) throws IOException {
    JsonNode value;
    try {
      value = Json.checkedTree(input);
    } catch (JsonProcessingException rejected) {
      return;
    }
    if (!value.isMissingNode()) {
      FuzzAssert.same(value, Json.checkedTree(Json.bytes(value)));
    }
  }
}
