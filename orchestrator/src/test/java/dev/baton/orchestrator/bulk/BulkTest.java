/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class BulkTest {
  @Inject OrchestratorTestEnvironment bed;

  private String create(String workflow, String labels) {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"%s\",\"labels\":%s}".formatted(workflow, labels));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private static List<String> outcomes(JsonNode page) {
    List<String> outcomes = new ArrayList<>();
    page.get("results").forEach(result -> outcomes.add(result.get("outcome").textValue()));
    return outcomes;
  }

  @Test
  void shouldCancelAndDeletePageByPageThoseThatTheFilterMeans() {
    bed.api().workflow("bulk", true);
    List<String> meant = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      meant.add(create("bulk", "{\"team\":\"a\",\"n\":\"" + i + "\"}"));
    }
    String other = create("bulk", "{\"team\":\"b\"}");
    String filter = "{\"filter\":{\"workflow\":\"bulk\",\"labels\":{\"team\":\"a\"}},\"limit\":3";

    JsonNode dry = bed.api().json("/runs/bulk/cancel", filter + ",\"dry_run\":true}").json();
    assertThat(outcomes(dry)).hasSize(3).containsOnly("would_be_cancelled");
    JsonNode first = bed.api().json("/runs/bulk/cancel", filter + ",\"reason\":\"r\"}").json();
    JsonNode second =
        bed.api()
            .json(
                "/runs/bulk/cancel",
                filter + ",\"cursor\":\"" + first.get("next_cursor").textValue() + "\"}")
            .json();

    assertThat(outcomes(first)).hasSize(3).containsOnly("cancelled");
    assertThat(outcomes(second)).hasSize(2).containsOnly("cancelled");
    assertThat(second.has("next_cursor")).isFalse();
    for (String run : meant) {
      bed.api().await(run, shown -> shown.get("status").textValue().equals("cancelled"));
    }
    assertThat(bed.api().get("/runs/" + other).json().get("status").textValue())
        .isNotEqualTo("cancelled");

    JsonNode deleted =
        bed.api()
            .json(
                "/runs/bulk/delete",
                "{\"filter\":{\"workflow\":\"bulk\",\"status\":[\"cancelled\",\"starting\"]}}")
            .json();
    assertThat(outcomes(deleted)).filteredOn("deleted"::equals).hasSize(5);
    // An active run is reported and does not stop the others.
    assertThat(deleted.get("failed").asInt()).isEqualTo(1);
    assertThat(bed.api().get("/runs?workflow=bulk").json().get("runs").valueStream().toList())
        .singleElement()
        .satisfies(run -> assertThat(run.get("id").textValue()).isEqualTo(other));
    bed.api().json("/runs/" + other + "/cancel", "{}");
  }

  @Test
  void shouldDoNothingWithoutAFilter() {
    for (String path : List.of("/runs/bulk/cancel", "/runs/bulk/delete")) {
      for (String body : List.of("{}", "{\"filter\":{}}", "{\"filter\":{\"labels\":{}}}")) {
        OrchestratorTestClient.Answer refused = bed.api().json(path, body);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().get("detail").textValue()).contains("'all': true");
      }
      assertThat(
              bed.api().json(path, "{\"filter\":{\"workflow\":\"nothing\"},\"limit\":0}").status())
          .isEqualTo(400);
    }
  }
}
