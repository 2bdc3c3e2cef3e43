/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.identity.CallerStreamRegistry;
import dev.baton.orchestrator.identity.CallerValidity;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.PacedSubscriber;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import jakarta.inject.Inject;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
@Timeout(120)
class StreamLimiterTest {
  /** More than HTTP/2 servers commonly allow on a connection. */
  private static final int MANY = 110;

  private static final int PER_CALLER = 200;

  private static final Caller ANN = caller("ann");
  private static final Caller BOB = caller("bob");

  @Inject OrchestratorTestEnvironment bed;
  @Inject StreamLimiter streams;
  @Inject CallerStreamRegistry registry;

  private static Caller caller(String id) {
    return new Caller(id, id, Set.of(), null, null, new CallerValidity("API key", null, false));
  }

  private static PacedSubscriber<Integer> open(StreamLimiter limiter, Caller caller) {
    PacedSubscriber<Integer> subscriber = new PacedSubscriber<>();
    limiter
        .limited(caller, Multi.createFrom().<Integer>nothing())
        .subscribe()
        .withSubscriber(subscriber);
    return subscriber;
  }

  @Test
  void shouldLimitEachCallerAndAllTogether() throws Exception {
    StreamLimiter limiter = new StreamLimiter(2, 3, registry);
    PacedSubscriber<Integer> first = open(limiter, ANN);
    open(limiter, ANN);

    assertThatThrownBy(() -> open(limiter, ANN))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("baton.streams.per-caller");
    open(limiter, BOB);
    assertThatThrownBy(() -> open(limiter, BOB)).hasMessageContaining("baton.streams.total");

    first.cancel();
    first.cancel();
    assertThat(limiter.open()).isEqualTo(2);
    open(limiter, BOB);
    assertThat(limiter.open()).isEqualTo(3);
  }

  @Test
  void shouldReleaseStreamsThatFail() throws Exception {
    StreamLimiter limiter = new StreamLimiter(1, 1, registry);
    for (int i = 0; i < 3; i++) {
      PacedSubscriber<Integer> subscriber = new PacedSubscriber<>();
      limiter
          .<Integer>limited(ANN, Multi.createFrom().failure(new IllegalStateException("broken")))
          .subscribe()
          .withSubscriber(subscriber);
      assertThat(subscriber.awaitEnd()).hasMessage("broken");
    }
    assertThat(limiter.open()).isZero();
  }

  @Test
  void shouldServeOthersWhileOneCallerFollowsAsMuchAsItMay() throws Exception {
    String workflow = bed.api().workflow("followed", false);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    FakeStore.put(RunId.next(), run, "verified");
    OrchestratorTestClient greedy = key("greedy");
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      List<InputStream> followed = new ArrayList<>();
      try {
        for (int i = 0; i < PER_CALLER; i++) {
          HttpResponse<InputStream> stream = follow(http, greedy, run);
          assertThat(stream.statusCode()).isEqualTo(200);
          followed.add(stream.body());
          if (i == MANY) {
            // Of the store, over the connection for single responses.
            assertThat(bed.api().get("/runs/" + run + "/checkpoints").status()).isEqualTo(200);
          }
        }
        HttpResponse<InputStream> refused = follow(http, greedy, run);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).contains("5");
        assertThat(new String(refused.body().readAllBytes(), StandardCharsets.UTF_8))
            .contains("too-many-streams", "baton.streams.per-caller");
        assertThat(greedy.get("/runs/" + run + "/events").status()).isEqualTo(429);
        JsonNode page = bed.api().get("/runs/" + run + "/events").json();
        assertThat(page.get("events")).isNotEmpty();
      } finally {
        for (InputStream stream : followed) {
          stream.close();
        }
      }
    }
    while (streams.open() > 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private OrchestratorTestClient key(String name) {
    String key =
        bed.api()
            .json("/api-keys", "{\"name\":\"%s\",\"role\":\"viewer\"}".formatted(name))
            .json()
            .get("key")
            .textValue();
    return new OrchestratorTestClient(bed.base(), Optional.of(key));
  }

  private static HttpResponse<InputStream> follow(
      HttpClient http, OrchestratorTestClient client, String run) throws Exception {
    return http.send(
        client.request("/runs/" + run + "/events").header("Accept", "text/event-stream").build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }
}
