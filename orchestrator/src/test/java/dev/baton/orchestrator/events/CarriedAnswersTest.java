/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Large values in API responses, and reading them back. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class CarriedAnswersTest {
  @Inject OrchestratorTestEnvironment bed;

  private String run() {
    String name = bed.api().workflow("carried", false);
    return bed.api()
        .json("/runs", "{\"workflow\":\"" + name + "\",\"input\":{\"a\":[1.10,\"ü\"]}}")
        .json()
        .get("id")
        .textValue();
  }

  private HttpResponse<byte[]> zipped(String path, String accept) throws Exception {
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return http.send(
          bed.api()
              .request(path)
              .header("Accept-Encoding", "gzip")
              .header("Accept", accept)
              .GET()
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  @Test
  void shouldStreamAPageOfEvents() throws Exception {
    String path = "/runs/" + run() + "/events?limit=10000";

    HttpResponse<byte[]> answer = zipped(path, "application/json");

    assertThat(answer.headers().firstValue("Transfer-Encoding")).hasValue("chunked");
    assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(answer.headers().firstValue("Content-Encoding")).hasValue("gzip");
    try (GZIPInputStream page = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
      assertThat(Json.tree(page.readAllBytes()).get("events")).hasSize(3);
    }
    JsonNode plain = bed.api().get(path).json();
    assertThat(plain.get("events")).hasSize(3);
    assertThat(bed.api().get("/runs/zzzzzz/events").status()).isEqualTo(404);
    assertThat(bed.api().get(path.replace("10000", "0")).status()).isEqualTo(400);
    assertThat(bed.api().get(path + "&after=3").text())
        .isEqualToIgnoringWhitespace("{\"events\":[]}");
  }

  @Test
  void shouldSayHowAStreamOfEventsIsTakenUpAgain() throws Exception {
    HttpResponse<byte[]> answer = zipped("/runs/" + run() + "/events", "text/event-stream");

    String text = new String(answer.body(), UTF_8);
    assertThat(text.replace(": ", ":")).contains("retry:2000", "id:3");
    assertThat(text.indexOf("retry:")).isEqualTo(text.lastIndexOf("retry:"));
    assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(answer.headers().firstValue("X-Accel-Buffering")).hasValue("no");
    assertThat(answer.headers().firstValue("Content-Encoding").orElse("identity"))
        .isEqualTo("identity");
  }

  @Test
  void shouldGiveBackARunsInput() {
    OrchestratorTestClient.Answer input = bed.api().get("/runs/" + run() + "/input");

    assertThat(input.text()).isEqualTo("{\"a\":[1.1,\"ü\"]}");
    assertThat(input.type()).startsWith("application/json");
    assertThat(bed.api().get("/runs/zzzzzz/input").status()).isEqualTo(404);
  }

  @Test
  void shouldGiveBackAWorkflowsOwnText() {
    String text = "# why: ünïcode\nname: own-text\nsteps:\n  - {id: a, transform: '1'} # here\n";
    bed.api().post("/workflows", "text/yaml; charset=UTF-8", text);

    OrchestratorTestClient.Answer source = bed.api().get("/workflows/own-text/source");

    assertThat(source.text()).isEqualTo(text);
    assertThat(source.type().replace(" ", "")).isEqualToIgnoringCase("text/yaml;charset=UTF-8");
    String hash = bed.api().get("/workflows/own-text").json().get("hash").textValue();
    String again = text.replace("here", "there");
    assertThat(bed.api().post("/workflows", "application/yaml", again).status()).isEqualTo(200);
    assertThat(bed.api().get("/workflows/own-text@" + hash + "/source").text()).isEqualTo(again);
    assertThat(bed.api().get("/workflows/nothing/source").status()).isEqualTo(404);
  }

  @Test
  void shouldCountWhatBeginsAndEnds() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born());
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      // A duplicate has no effect.
      log.append(run, Lane.runner(1), 2, done());
      log.append(run, Lane.runner(1), 2, done());
      log.append(
          run,
          Lane.runner(1),
          3,
          new TraceEvent.RunFailed("b", Failure.of("metrics_test", "not so")));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("failed"));
    }

    String metrics = bed.api().get("/q/metrics").text();

    assertThat(metrics)
        .containsPattern(
            "baton_runs_ended_total\\{reason=\"metrics_test\",status=\"failed\"[^}]*} 1\\.0")
        .containsPattern("baton_runs_begun_total\\{kind=\"external\"[^}]*} [1-9]")
        .containsPattern(
            "baton_steps_ended_total\\{kind=\"http\",outcome=\"completed\",reason=\"\"[^}]*} 1\\.0")
        .containsPattern("baton_steps_duration_seconds_sum\\{kind=\"http\"[^}]*} 1\\.5")
        .containsPattern("baton_runs_duration_seconds_count\\{status=\"failed\"[^}]*} [1-9]")
        .contains("baton_runs_open{status=\"waiting\"", "baton_runs_queued")
        .contains("baton_approvals_waiting", "baton_runs_parked");
  }

  private static TraceEvent born() {
    return new TraceEvent.RunCreated(
        "external",
        "default",
        "theirs",
        null,
        null,
        Map.of(),
        null,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        null);
  }

  private static TraceEvent done() {
    return new TraceEvent.StepCompleted(
        "a", "http", 1, 1, null, null, false, List.of(), null, null, null, 1_500_000, null, null);
  }
}
