/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.archive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ArchiveResourceTest {
  @Inject OrchestratorTestEnvironment bed;

  @AfterEach
  void forget() {
    FakeStore.archiveNothing();
  }

  @Test
  void shouldGiveNoRunsWithoutAnArchive() {
    OrchestratorTestClient.Answer answer = bed.api().get("/archive");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"runs\":[],\"source\":\"git\"}");
  }

  @Test
  void shouldGiveTheRunsOfTheArchivePageByPage() {
    String older = RunId.next();
    String newer = RunId.next();
    FakeStore.archive(older, "{\"workflow\":\"hello\",\"status\":\"failed\",\"schema\":1}");
    FakeStore.archive(newer, "nonsense");

    JsonNode first = bed.api().get("/archive?limit=1").json();
    JsonNode second =
        bed.api().get("/archive?limit=1&cursor=" + first.path("next_cursor").textValue()).json();

    assertThat(first.at("/runs/0/run").textValue()).isEqualTo(newer);
    assertThat(first.at("/runs/0/status").textValue()).isEqualTo("unreadable");
    assertThat(second)
        .isEqualTo(
            Json.tree(
                """
                {"runs":[{"run":"%s","workflow":"hello","status":"failed","archived_at":"2023-11-14T22:13:20Z",
                  "commit":"c0ffee"}],"source":"git"}"""
                    .formatted(older)
                    .getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldServeTheArchiveAtTheAliasToo() {
    FakeStore.archive(RunId.next(), "{\"workflow\":\"hello\",\"status\":\"failed\"}");

    assertThat(bed.api().get("/runs/history?limit=1").json())
        .isEqualTo(bed.api().get("/archive?limit=1").json());
  }

  @Test
  void shouldSayWhatIsAllowed() {
    assertThat(bed.api().get("/archive?limit=0").text()).contains("limit=0").contains("1 to 1000");
    assertThat(bed.api().get("/archive?cursor=x").status()).isEqualTo(400);
  }
}
