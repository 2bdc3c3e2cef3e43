/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class BadInputTest {
  private static final String YAML = "application/yaml";
  private static final String JSON = "application/json";

  @Inject OrchestratorTestEnvironment bed;

  private record Case(
      String method, String path, String type, String body, int status, String text) {}

  @Test
  void shouldAnswerEveryMistakeWithAProblemThatNamesIt() {
    bed.api()
        .post(
            "/workflows",
            YAML,
            "name: strict\n"
                + "input: {type: object, required: [x]}\n"
                + "steps:\n"
                + "  - id: a\n"
                + "    transform: '1'\n");
    List<Case> cases =
        List.of(
            new Case("POST", "/workflows", YAML, "name: [", 422, "\"line\""),
            new Case(
                "POST",
                "/workflows",
                YAML,
                "name: w\nsteps:\n  - id: a\n    shel: ls\n",
                422,
                "shell"),
            new Case(
                "POST",
                "/workflows",
                YAML,
                "name: w\nsteps:\n  - id: a\n    transform: .steps.b.output\n",
                422,
                "b"),
            new Case("POST", "/workflows", JSON, "{", 422, "\"line\""),
            new Case("POST", "/workflows", "text/plain", "x", 415, "Content-Type"),
            new Case("POST", "/workflows", YAML, "x".repeat(2 * 1024 * 1024), 413, "2,097,152"),
            new Case("POST", "/runs", JSON, "{\"workflow\":", 400, "\"line\":1"),
            new Case("POST", "/runs", JSON, "", 400, "empty"),
            new Case(
                "POST", "/runs", JSON, "{\"workflo\":\"strict\"}", 400, "unknown field 'workflo'"),
            new Case("POST", "/runs", JSON, "{}", 400, "neither"),
            new Case("POST", "/runs", JSON, "{\"workflow\":\"nope\"}", 404, "no workflow 'nope'"),
            new Case(
                "POST", "/runs", JSON, "{\"workflow\":\"strict@sha256:1\"}", 404, "no workflow"),
            new Case("POST", "/runs", JSON, "{\"workflow\":\"strict\",\"input\":{}}", 422, "'x'"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"workflow\":\"strict\",\"input\":{\"x\":\"" + "y".repeat(70_000) + "\"}}",
                413,
                "65,536"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"workflow\":\"strict\",\"input\":{\"x\":\"" + "y".repeat(2_000_000) + "\"}}",
                413,
                "1,048,576"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"workflow\":\"strict\",\"kind\":\"odd\"}",
                400,
                "managed, external"),
            new Case("POST", "/runs", JSON, "{\"kind\":\"external\",\"id\":\"X\"}", 400, "ULID"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"kind\":\"external\",\"workflow\":\"a\\u0000b\"}",
                400,
                "NUL"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"kind\":\"external\",\"labels\":{\"a\":\"\\u0000\"}}",
                400,
                "NUL"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"kind\":\"external\",\"input\":{\"a\":[\"\\u0000\"]}}",
                400,
                "NUL"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"workflow\":\"strict\",\"input\":{\"x\":1},\"deadline\":\"soon\"}",
                400,
                "duration"),
            new Case(
                "POST",
                "/runs",
                JSON,
                "{\"workflow\":\"strict\",\"input\":{\"x\":1},\"heartbeat\":{\"interval\":\"1ms\",\"timeout\":\"1s\"}}",
                400,
                "200ms"),
            new Case("POST", "/runs", "text/plain", "x", 415, "Content-Type"),
            new Case("POST", "/runs/batch", JSON, "{\"runs\":[]}", 400, "1 to 1000"),
            new Case("GET", "/runs?limit=0", JSON, "", 400, "1 to 1000"),
            new Case("GET", "/runs?limit=x", JSON, "", 400, "limit=x"),
            new Case("GET", "/runs?status=odd", JSON, "", 400, "completed"),
            new Case("GET", "/runs/zzzzzz", JSON, "", 404, "no run 'zzzzzz'"),
            new Case("GET", "/runs/01arz3ndektsv4rrffq69g5fav", JSON, "", 404, "no run"),
            new Case("GET", "/runs/x/events", JSON, "", 404, "no run 'x'"),
            new Case("GET", "/runs/x/logs", "application/x-ndjson", "", 404, "no run 'x'"),
            new Case("POST", "/runs/x/cancel", JSON, "{}", 404, "no run 'x'"),
            new Case("GET", "/approvals?status=odd", JSON, "", 400, "waiting"),
            new Case("GET", "/approvals/none", JSON, "", 404, "no approval 'none'"),
            new Case("POST", "/approvals/none", JSON, "{\"answer\":1}", 404, "no approval 'none'"),
            new Case("POST", "/approvals/none", JSON, "{}", 400, "answer"),
            new Case(
                "POST",
                "/approvals/none",
                JSON,
                "{\"answer\":1,\"comment\":\"" + "y".repeat(70_000) + "\"}",
                413,
                "65,536"),
            new Case(
                "POST", "/approvals/none", JSON, "{\"answer\":1,\"by\":\"\\u0000\"}", 400, "NUL"),
            new Case(
                "POST", "/checkpoints/none", JSON, "{\"answer\":1}", 404, "no approval 'none'"),
            new Case("POST", "/checkpoints/none", JSON, "{}", 400, "answer"),
            new Case("GET", "/checkpoints?limit=0", JSON, "", 400, "1 to 1000"),
            new Case("GET", "/checkpoints?run=zzzzzz", JSON, "", 404, "no run 'zzzzzz'"),
            new Case("GET", "/checkpoints/abc", JSON, "", 404, "no checkpoint 'abc'"),
            new Case("GET", "/checkpoints/zzzzzz", JSON, "", 404, "project 'default'"),
            new Case(
                "GET",
                "/checkpoints/01arz3ndektsv4rrffq69g5fav",
                JSON,
                "",
                404,
                "no checkpoint '01arz3"),
            new Case("POST", "/checkpoints/abc/verify", JSON, "", 404, "no checkpoint 'abc'"),
            new Case("POST", "/runs/zzzzzz/checkpoints", JSON, "{}", 404, "no run 'zzzzzz'"),
            new Case(
                "POST",
                "/runs/x/checkpoints",
                JSON,
                "{\"trigger\":\"odd\"}",
                400,
                "manual, detach"),
            new Case("DELETE", "/runs/zzzzzz", JSON, "", 404, "no run 'zzzzzz'"),
            new Case("GET", "/nowhere", JSON, "", 404, "/nowhere"),
            new Case("DELETE", "/runs", JSON, "", 405, "/runs"),
            new Case("GET", "/runs", "image/png", "", 406, "/runs"));
    for (Case wrong : cases) {
      HttpRequest.Builder request = bed.api().request(wrong.path());
      request.method(
          wrong.method(),
          wrong.body().isEmpty() && !wrong.method().equals("POST")
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(wrong.body()));
      request.header(wrong.method().equals("GET") ? "Accept" : "Content-Type", wrong.type());

      OrchestratorTestClient.Answer answer = bed.api().send(request);

      String what =
          wrong.method()
              + " "
              + wrong.path()
              + " "
              + wrong.body().substring(0, Math.min(80, wrong.body().length()));
      assertThat(answer.status()).as(what + ": " + answer.text()).isEqualTo(wrong.status());
      assertThat(answer.type()).as(what).startsWith("application/problem+json");
      assertThat(answer.text()).as(what).contains(wrong.text());
      assertThat(answer.json().get("status").intValue()).isEqualTo(wrong.status());
      assertThat(answer.json().get("instance").textValue()).startsWith("/");
    }
  }

  @Test
  void shouldListCandidatesWhenAShortIdIsAmbiguous() {
    String one = "01arz3ndektsv4rrffq6amb0g0";
    String two = "01arz3ndektsv4rrffq7amb0g0";
    bed.api().json("/runs", "{\"kind\":\"external\",\"id\":\"" + one + "\"}");
    bed.api().json("/runs", "{\"kind\":\"external\",\"id\":\"" + two + "\"}");

    OrchestratorTestClient.Answer answer = bed.api().get("/runs/amb0g0");

    assertThat(answer.status()).as(answer.text()).isEqualTo(409);
    assertThat(answer.json().get("candidates").toString()).contains(one, two);
    assertThat(bed.api().json("/runs", "{\"kind\":\"external\",\"id\":\"" + one + "\"}").status())
        .isEqualTo(409);
  }
}
