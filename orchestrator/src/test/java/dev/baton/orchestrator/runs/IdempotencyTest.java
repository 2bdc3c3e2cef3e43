/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class IdempotencyTest {
  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldCreateOneRunForOneKey() {
    bed.api().workflow("idem", true);
    String key = RunId.next();
    // Threads of the common pool may have the configuration of an earlier application.
    OrchestratorTestClient api = bed.api();

    List<String> bodies =
        IntStream.range(0, 12)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> api.json("/runs", "{\"workflow\":\"idem\"}", "Idempotency-Key", key)))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .peek(answer -> assertThat(answer.status()).as(answer.text()).isEqualTo(201))
            .map(OrchestratorTestClient.Answer::text)
            .toList();

    assertThat(Set.copyOf(bodies)).hasSize(1);
    OrchestratorTestClient.Answer again =
        bed.api().json("/runs", "{\"workflow\":\"idem\"}", "Idempotency-Key", key);
    assertThat(again.raw().headers().firstValue("Idempotent-Replayed")).contains("true");
    OrchestratorTestClient.Answer other =
        bed.api()
            .json(
                "/runs",
                "{\"workflow\":\"idem\",\"labels\":{\"a\":\"b\"}}",
                "Idempotency-Key",
                key);
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.json().get("type").textValue()).endsWith("idempotency-key-reused");
  }

  @Test
  void shouldCreateABatchAllOrNone() {
    bed.api().workflow("batch", true);
    String label = RunId.next();
    String one = "{\"workflow\":\"batch\",\"labels\":{\"batch\":\"" + label + "\"}}";
    String runs = IntStream.range(0, 100).mapToObj(i -> one).collect(Collectors.joining(","));

    OrchestratorTestClient.Answer created =
        bed.api().json("/runs/batch", "{\"runs\":[" + runs + "]}", "Idempotency-Key", label);
    OrchestratorTestClient.Answer again =
        bed.api().json("/runs/batch", "{\"runs\":[" + runs + "]}", "Idempotency-Key", label);
    OrchestratorTestClient.Answer broken =
        bed.api().json("/runs/batch", "{\"runs\":[" + one + ",{\"workflow\":\"nope\"}]}");

    assertThat(created.status()).as(created.text()).isEqualTo(201);
    assertThat(again.text()).isEqualTo(created.text());
    assertThat(broken.status()).isEqualTo(404);
    JsonNode page = bed.api().get("/runs?limit=60&label=batch=" + label).json();
    assertThat(page.get("runs")).hasSize(60);
    JsonNode rest =
        bed.api()
            .get(
                "/runs?limit=60&label=batch="
                    + label
                    + "&cursor="
                    + page.get("next_cursor").textValue())
            .json();
    assertThat(rest.get("runs")).hasSize(40);
    assertThat(rest.get("next_cursor")).isNull();
  }

  @Test
  void shouldStoreADefinitionOnce() {
    String yaml = "name: once\nsteps:\n  - id: a\n    transform: '1'\n";

    OrchestratorTestClient.Answer first = bed.api().post("/workflows", "application/yaml", yaml);
    OrchestratorTestClient.Answer second = bed.api().post("/workflows", "text/yaml", yaml);

    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    String hash = first.json().get("hash").textValue();
    assertThat(second.json().get("hash").textValue()).isEqualTo(hash);
    assertThat(bed.api().get("/workflows/once").json().get("hash").textValue()).isEqualTo(hash);
    JsonNode shown = bed.api().get("/workflows/once@" + hash).json();
    assertThat(shown.at("/definition/steps/0/id").textValue()).isEqualTo("a");
    assertThat(bed.api().get("/workflows").text()).contains("\"once\"");
    assertThat(bed.api().post("/workflows/validate", "application/yaml", yaml).status())
        .isEqualTo(200);
  }

  @Test
  void shouldStreamEventsFromTheStore() {
    OrchestratorTestClient.Answer external = bed.api().json("/runs", "{\"kind\":\"external\"}");
    assertThat(external.json().get("lease").textValue().split("\\.")).hasSize(3);
    String run = external.json().get("id").textValue();

    OrchestratorTestClient.Answer page = bed.api().get("/runs/" + run + "/events?after=1");
    HttpRequest.Builder request =
        bed.api()
            .request("/runs/" + run + "/events")
            .header("Accept", "text/event-stream")
            .header("Last-Event-ID", "2");
    OrchestratorTestClient.Answer stream = bed.api().send(request.GET());

    assertThat(page.json().get("events")).as(page.text()).hasSize(2);
    assertThat(page.json().at("/events/0/type").textValue()).isEqualTo("plan_updated");
    assertThat(stream.text()).contains("id:3", "event:plan_updated").doesNotContain("id:2");
    assertThat(bed.api().get("/runs/" + run + "/checkpoints").json().get("checkpoints")).isEmpty();
  }

  @Test
  void shouldRefuseToStreamEventsOfARunThatDoesNotExist() {
    String run = RunId.next();

    OrchestratorTestClient.Answer stream =
        bed.api()
            .send(
                bed.api()
                    .request("/runs/" + run + "/events")
                    .header("Accept", "text/event-stream")
                    .GET());

    assertThat(stream.status()).as(stream.text()).isEqualTo(404);
    assertThat(stream.json().get("detail").textValue()).contains(run, "allowed: the id of a run");
  }

  @Test
  void shouldBeReadyAndDescribed() {
    assertThat(bed.api().get("/q/health/ready").status()).isEqualTo(200);
    assertThat(bed.api().get("/q/metrics").text()).contains("baton_projection_events");
    assertThat(bed.api().get("/q/openapi").text()).contains("/runs/{id}/events", "/approvals/{id}");
  }
}
