/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretInputPolicyTest {
  private static final Workflow WORKFLOW =
      ((WorkflowParseResult.Valid)
              WorkflowParser.parse(
                  """
                  name: w
                  secrets: {npm: {env: BATON_SECRET_NPM}, test: {vault: "secret/data/ci#token"}}
                  input:
                    properties:
                      token: {type: string, x-secret: true}
                      other: {x-secret: false}
                      example: {enum: [{x-secret: true}]}
                  steps:
                  - {id: a, shell: 'true', env: {T: "${{ secrets.token }}", U: "${{ secrets.npm }}"}}
                  """,
                  DefinitionFormat.YAML))
          .workflow();

  private static JsonNode json(String text) throws IOException {
    return Json.checkedTree(text);
  }

  @Test
  void shouldTakeReferencesToSecretsOfTheWorkflow() throws Exception {
    JsonNode input = json("{\"token\": \"secret:test\", \"other\": \"plain-value\"}");

    assertThat(SecretInputPolicy.violations(WORKFLOW, input)).isEmpty();
    assertThat(SecretInputPolicy.references(WORKFLOW, input))
        .containsOnlyKeys("npm", "test", "token")
        .containsEntry("token", new SecretReference.Vault("secret/data/ci", "token"));
  }

  @Test
  void shouldLeaveAbsentOnesToTheSchema() throws Exception {
    assertThat(SecretInputPolicy.violations(WORKFLOW, json("{}"))).isEmpty();
    assertThat(SecretInputPolicy.violations(WORKFLOW, json("[1]"))).isEmpty();
    assertThat(SecretInputPolicy.references(WORKFLOW, json("null")))
        .isEqualTo(Map.copyOf(WORKFLOW.secrets()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"hunter2\"",
        "\"npm\"",
        "\"secret:hunter2\"",
        "\"secret:\"",
        "\"secret:token\"",
        "\"env:HUNTER2\"",
        "\"file:/hunter2\"",
        "{\"env\": \"BATON_SECRET_NPM\"}",
        "[\"secret:npm\"]",
        "1234567",
        "null"
      })
  void shouldRefuseAllElseAndNotRepeatIt(String value) throws Exception {
    JsonNode input = json("{\"token\": " + value + "}");

    assertThat(SecretInputPolicy.violations(WORKFLOW, input))
        .containsExactly(
            new InputSchema.Violation(
                "/token",
                "'token' is a secret: pass a reference to a secret of the workflow, never its value; allowed: secret:npm, secret:test"));
    assertThat(SecretInputPolicy.references(WORKFLOW, input)).doesNotContainKey("token");
  }
}
