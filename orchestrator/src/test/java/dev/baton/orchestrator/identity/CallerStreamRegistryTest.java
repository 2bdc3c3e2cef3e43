/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.oidc.testkit.OidcTestIssuer;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.PacedSubscriber;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.grpc.Status;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ends the right of a caller that has each kind of stream open. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
@Timeout(180)
class CallerStreamRegistryTest {
  /** Two checks, on a machine under load. */
  private static final int BOUND_SECONDS = 30;

  private static final int LIFETIME_SECONDS = 12;

  @Inject OrchestratorTestEnvironment bed;
  @Inject CallerStreamRegistry registry;

  private JsonNode key(String expiry) {
    return bed.api()
        .json("/api-keys", "{\"name\": \"streams\", \"role\": \"operator\"%s}".formatted(expiry))
        .json();
  }

  private void revoke(String id) {
    var request = bed.api().request("/api-keys/" + id).header("Content-Type", "application/json");
    assertThat(bed.api().send(request.DELETE()).status()).isEqualTo(200);
  }

  private String activeRun(ScriptedRunner runner) {
    String workflow = bed.api().workflow("streamed", true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    // With a checkpoint, a followed run stays open.
    FakeStore.put(RunId.next(), run, "verified");
    FakeStore.log(run, 1, 1, false, List.of("a line"));
    return run;
  }

  private static void shouldEndWith(OpenStreamSet streams, String reason) throws Exception {
    String events = streams.events().get(BOUND_SECONDS, TimeUnit.SECONDS);
    JsonNode problem = Json.checkedTree(events.substring(events.lastIndexOf("data:") + 5).strip());
    assertThat(events).contains("event:problem");
    assertThat(problem.path("type").asText()).endsWith("/unauthenticated");
    assertThat(problem.path("status").asInt()).isEqualTo(401);
    assertThat(problem.path("detail").asText()).contains(reason);

    Status call = streams.call().get(BOUND_SECONDS, TimeUnit.SECONDS);
    assertThat(call.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(call.getDescription()).contains(reason);

    OpenStreamSet.Closed terminal = streams.terminal().get(BOUND_SECONDS, TimeUnit.SECONDS);
    assertThat(terminal.code()).isEqualTo(1008);
    assertThat(terminal.reason()).contains(reason);

    OpenStreamSet.ReadLog log = streams.log().get(BOUND_SECONDS, TimeUnit.SECONDS);
    assertThat(log.lines().getLast()).contains(reason, "\"stream\":\"baton\"");
    assertThat(log.isComplete()).as("the response ends as if it were complete").isFalse();
  }

  @Test
  void shouldEndTheStreamsOfARevokedKeyAndNoOthers() throws Exception {
    JsonNode key = key("");
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "revoked-key", 100)) {
      String run = activeRun(runner);
      try (OpenStreamSet streams = OpenStreamSet.open(bed, runner, run, key.path("key").asText());
          OpenStreamSet others =
              OpenStreamSet.open(bed, runner, run, key("").path("key").asText())) {
        assertThat(streams.isAnyDone()).isFalse();

        revoke(key.path("id").asText());

        shouldEndWith(streams, "the API key has been revoked");
        assertThat(others.isAnyDone()).isFalse();
      }
    }
  }

  @Test
  void shouldEndTheStreamsOfAnExpiredKey() throws Exception {
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "expired-key", 100)) {
      String run = activeRun(runner);
      String key = key(", \"expires_in\": \"" + LIFETIME_SECONDS + "s\"").path("key").asText();
      try (OpenStreamSet streams = OpenStreamSet.open(bed, runner, run, key)) {
        assertThat(streams.isAnyDone()).isFalse();

        shouldEndWith(streams, "the API key has expired");
      }
    }
  }

  @Test
  void shouldEndTheStreamsOfAnExpiredToken() throws Exception {
    OidcTestIssuer issuer = OrchestratorTestResource.issuer();
    Map<String, Object> claims = issuer.claims("ann", "baton", List.of("operators"));
    long skew = 30;
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "expired-token", 100)) {
      String run = activeRun(runner);
      claims.put("exp", Instant.now().getEpochSecond() - skew + LIFETIME_SECONDS);
      try (OpenStreamSet streams = OpenStreamSet.open(bed, runner, run, issuer.sign(claims))) {
        assertThat(streams.isAnyDone()).isFalse();

        shouldEndWith(streams, "the token has expired");
      }
    }
  }

  @Test
  void shouldPassRequestsOnAndStopTheSourceAtTheEnd() throws Exception {
    Instant soon = Instant.now().plusSeconds(1);
    Caller caller =
        Caller.of(
            "paced",
            "paced",
            ProjectRoles.everywhere(AccessRole.VIEWER),
            CallerValidity.until("token", soon));
    AtomicInteger produced = new AtomicInteger();
    AtomicBoolean cancelled = new AtomicBoolean();
    PacedSubscriber<Integer> reader = new PacedSubscriber<>();
    registry
        .guarded(
            caller,
            Multi.createFrom()
                .range(1, 1_000)
                .onItem()
                .invoke(produced::set)
                .onCancellation()
                .invoke(() -> cancelled.set(true)))
        .subscribe()
        .withSubscriber(reader);

    reader.request(2);
    assertThat(reader.awaitItems(2)).containsExactly(1, 2);
    reader.request(1);
    assertThat(reader.awaitItems(3)).containsExactly(1, 2, 3);

    assertThat(reader.awaitEnd()).matches(CallerStreamRegistry::isEnd);
    assertThat(Instant.now()).isAfterOrEqualTo(soon);
    assertThat(produced).hasValue(3);
    assertThat(cancelled).isTrue();
  }
}
