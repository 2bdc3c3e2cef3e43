/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class SecretInputTest {
  private static final String DEFINITION =
      """
      {"name": "secret-input",
       "secrets": {"npm": {"env": "BATON_SECRET_NPM"}},
       "input": {"properties": {"token": {"x-secret": true, "pattern": "^secret:"}, "n": {"type": "integer"}}},
       "steps": [{"id": "a", "shell": "true", "env": {"T": "${{ secrets.token }}"}}]}
      """;

  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldStoreAReferenceAndRefuseAValue() {
    OrchestratorTestClient.Answer created = create("{\"token\": \"secret:npm\"}");
    assertThat(created.status()).isEqualTo(201);
    String run = created.json().get("id").textValue();
    assertThat(bed.api().get("/runs/" + run + "/input").json().toString())
        .contains("\"token\":\"secret:npm\"");

    for (String value :
        new String[] {"\"hunter2-value\"", "\"secret:hunter2\"", "{\"a\": \"hunter2\"}"}) {
      OrchestratorTestClient.Answer refused = create("{\"n\": \"x\", \"token\": " + value + "}");
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.json().toString())
          .contains("/problems/invalid-input", "/token", "pass a reference", "secret:npm")
          .doesNotContain("hunter2");
    }
    assertThat(bed.api().get("/runs?workflow=secret-input").json().toString())
        .contains(run)
        .doesNotContain("hunter2");
  }

  private OrchestratorTestClient.Answer create(String input) {
    return bed.api().json("/runs", "{\"definition\":" + DEFINITION + ",\"input\":" + input + "}");
  }
}
