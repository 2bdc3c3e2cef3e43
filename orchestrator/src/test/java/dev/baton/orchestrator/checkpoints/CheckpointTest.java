/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TestManifestFactory;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class CheckpointTest {
  @Inject OrchestratorTestEnvironment bed;

  /** Creates a run and returns its id. */
  private String run() {
    return bed.api().json("/runs", "{\"kind\":\"external\"}").json().path("id").textValue();
  }

  @Test
  void shouldPageThroughTheCheckpointsOfARunNewestFirst() {
    String run = run();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.addFirst(FakeStore.put(RunId.next(), run, "verified").getId());
    }

    JsonNode first = bed.api().get("/checkpoints?run=" + RunId.display(run)).json();
    JsonNode second =
        bed.api()
            .get("/checkpoints?run=" + run + "&cursor=" + first.path("next_cursor").textValue())
            .json();

    assertThat(first.path("checkpoints").findValuesAsText("id")).isEqualTo(ids.subList(0, 2));
    assertThat(second.path("checkpoints").findValuesAsText("id")).isEqualTo(ids.subList(2, 3));
    assertThat(second.has("next_cursor")).isFalse();
    assertThat(first.at("/checkpoints/0"))
        .isEqualTo(
            Json.tree(
                """
                {"id":"%s","display_id":"%s","run":"%s","project":"default","epoch":1,"step":"build","trigger":"step",
                 "created_at":"2023-11-14T22:13:20Z","digest":"sha256:%s","size_bytes":1000,"stored_bytes":10,
                 "pack_bytes":500,"file_count":3,"pack_count":1,"verified":true,"verification":"verified",
                 "pinned":false}\
                """
                    .formatted(ids.getFirst(), RunId.display(ids.getFirst()), run, "ab".repeat(32))
                    .getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldSayWhatIsKnownOfTheCheckpointOfEachCut() {
    String run = run();
    String id = FakeStore.put(RunId.next(), run, "pending").getId();

    JsonNode cut = bed.api().get("/runs/" + run + "/checkpoints").json().at("/checkpoints/0");

    assertThat(cut.path("id").textValue()).isEqualTo(id);
    assertThat(cut.path("trigger").textValue()).isEqualTo("step");
    assertThat(cut.path("format").textValue()).isEqualTo("baton-tree-2");
    assertThat(cut.path("verified").booleanValue()).isFalse();
    assertThat(cut.path("pinned").booleanValue()).isFalse();
    assertThat(cut.path("position").intValue()).isEqualTo(2);
  }

  @Test
  void shouldFindACheckpointByTheEndOfItsId() {
    String run = run();
    String id = FakeStore.put(RunId.next(), run, "pending").getId();
    FakeStore.put("01arz3ndektsv4rrffq69zzzzz", run, "pending");
    FakeStore.put("01arz3ndektsv4rrffq70zzzzz", run, "pending");

    OrchestratorTestClient.Answer found = bed.api().get("/checkpoints/" + RunId.display(id));
    OrchestratorTestClient.Answer several = bed.api().get("/checkpoints/0zzzzz");
    OrchestratorTestClient.Answer both = bed.api().get("/checkpoints/zzzzzz");

    assertThat(found.json().path("id").textValue()).isEqualTo(id);
    assertThat(found.json().at("/manifest/odd").intValue()).isEqualTo(1);
    assertThat(several.status()).isEqualTo(200);
    assertThat(both.status()).isEqualTo(404);
    FakeStore.put("01arz3ndektsv4rrffq800zzzzz".substring(1), run, "pending");
    assertThat(bed.api().get("/checkpoints/0zzzzz").status()).isEqualTo(409);
    assertThat(bed.api().get("/checkpoints/0zzzzz").json().path("candidates")).hasSize(2);
  }

  @Test
  void shouldGiveThePlacesOfAllPacksOfTheNewestEpoch() {
    String id = FakeStore.put(RunId.next(), run(), "pending").getId();

    JsonNode opened = bed.api().get("/checkpoints/" + id + "/packs").json();

    assertThat(opened.path("id").textValue()).isEqualTo(id);
    assertThat(opened.at("/packs/0"))
        .isEqualTo(
            Json.tree(
                ("{\"digest\":\"sha256:"
                        + "00".repeat(32)
                        + "\",\"size_bytes\":500,\"index_bytes\":80,"
                        + "\"get_url\":\"http://127.0.0.1:1/pack?epoch=1\"}")
                    .getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldPinAndUnpin() {
    String id = FakeStore.put(RunId.next(), run(), "verified").getId();

    JsonNode pinned =
        bed.api()
            .send(
                bed.api()
                    .request("/checkpoints/" + id + "/pin")
                    .header("Content-Type", "application/json")
                    .PUT(
                        HttpRequest.BodyPublishers.ofString(
                            "{\"reason\":\"release\",\"by\":\"ann\"}")))
            .json();
    JsonNode unpinned =
        bed.api()
            .send(
                bed.api()
                    .request("/checkpoints/" + id + "/pin")
                    .header("Content-Type", "application/json")
                    .DELETE())
            .json();

    assertThat(pinned.path("pinned").booleanValue()).isTrue();
    assertThat(pinned.path("pin_reason").textValue()).isEqualTo("release");
    assertThat(pinned.path("pinned_by").textValue()).startsWith("admin key ").endsWith(" (ann)");
    assertThat(unpinned.path("pinned").booleanValue()).isFalse();
  }

  @Test
  void shouldTellWhatIsWrongWithACheckpointAndWhatItHurts() {
    String run = run();
    String good = FakeStore.put(RunId.next(), run, "pending").getId();
    String bad = FakeStore.put(RunId.next(), run, "corrupt").getId();

    JsonNode fine = bed.api().json("/checkpoints/" + good + "/verify", "").json();
    JsonNode broken = bed.api().json("/checkpoints/" + bad + "/verify", "").json();

    assertThat(fine.path("verified").booleanValue()).isTrue();
    assertThat(fine.path("findings")).isEmpty();
    assertThat(fine.path("bytes").intValue()).isEqualTo(500);
    assertThat(broken.path("verified").booleanValue()).isFalse();
    assertThat(broken.at("/findings/0/what").textValue()).contains("another digest");
    assertThat(broken.at("/findings/0/checkpoints/0").textValue()).isEqualTo(bad);
  }

  @Test
  void shouldTakeACheckpointFromOutsideForAnExternalRun() {
    String run = run();
    String id = RunId.next();
    String digest = "sha256:" + "cd".repeat(32);
    String chunks = Base64.getEncoder().encodeToString(new byte[64]);

    JsonNode found =
        bed.api()
            .post("/runs/" + run + "/packs/find", "application/octet-stream", "x".repeat(64))
            .json();
    JsonNode places =
        bed.api()
            .json(
                "/runs/" + run + "/packs/uploads",
                "{\"packs\":[{\"digest\":\"" + digest + "\",\"size_bytes\":500}]}")
            .json();
    OrchestratorTestClient.Answer registered =
        bed.api()
            .json(
                "/runs/" + run + "/packs",
                "{\"packs\":[{\"digest\":\"%s\",\"size_bytes\":500,\"index_bytes\":80,\"chunks\":\"%s\"}]}"
                    .formatted(digest, chunks));
    OrchestratorTestClient.Answer committed =
        bed.api()
            .send(
                bed.api()
                    .request("/runs/" + run + "/checkpoints/" + id)
                    .header("Content-Type", "application/json")
                    .PUT(
                        HttpRequest.BodyPublishers.ofByteArray(
                            ManifestCodec.write(TestManifestFactory.create("default", id, run)))));

    assertThat(found.at("/packs/0/index_bytes").intValue()).isEqualTo(80);
    assertThat(found.path("places").toString()).isEqualTo("[1,0]");
    assertThat(places.at("/uploads/0/put_url").textValue()).endsWith("OBJECT_KIND_PACK");
    assertThat(places.at("/uploads/0/headers/x-amz-checksum-sha256").textValue()).isEqualTo("abc");
    assertThat(registered.status()).as(registered.text()).isEqualTo(204);
    assertThat(committed.status()).as(committed.text()).isEqualTo(201);
    assertThat(committed.json().path("run").textValue()).isEqualTo(run);
  }

  @Test
  void shouldTakeNothingFromOutsideThatIsNotAllowed() {
    String run = run();
    String managed = bed.api().workflow("from-outside", true);
    String ours =
        bed.api().json("/runs", "{\"workflow\":\"" + managed + "\"}").json().path("id").textValue();

    OrchestratorTestClient.Answer odd =
        bed.api().post("/runs/" + run + "/packs/find", "application/octet-stream", "x");
    OrchestratorTestClient.Answer none = bed.api().json("/runs/" + run + "/packs", "{}");
    OrchestratorTestClient.Answer digest =
        bed.api().json("/runs/" + run + "/packs", "{\"packs\":[{\"digest\":\"x\"}]}");
    OrchestratorTestClient.Answer refused =
        bed.api().post("/runs/" + ours + "/packs/find", "application/octet-stream", "");
    OrchestratorTestClient.Answer manifest =
        bed.api()
            .send(
                bed.api()
                    .request("/runs/" + run + "/checkpoints/" + RunId.next())
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofString("{\"version\":\"9\"}")));

    assertThat(odd.status()).isEqualTo(400);
    assertThat(odd.text()).contains("10,000 digests");
    assertThat(none.text()).contains("1 to 1000");
    assertThat(digest.text()).contains("64 hex digits");
    assertThat(refused.status()).as(refused.text()).isEqualTo(409);
    assertThat(manifest.status()).isEqualTo(400);
    assertThat(manifest.text()).contains("version is '9'");
  }
}
