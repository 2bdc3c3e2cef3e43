/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.grpc.Status;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests what the orchestrator requests from the store before it resumes a run. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ResumeTest {
  @Inject OrchestratorTestEnvironment bed;

  /** A run without a runner; it never gets one. */
  private String paused(String workflow) {
    bed.api().workflow(workflow, true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    assertThat(bed.api().json("/runs/" + run + "/pause", "{}").status()).isEqualTo(202);
    bed.api().await(run, shown -> shown.get("status").textValue().equals("paused"));
    return run;
  }

  private OrchestratorTestClient.Answer resume(String run) {
    return bed.api().json("/runs/" + run + "/resume", "{}");
  }

  private void cancel(String run) {
    assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isEqualTo(202);
  }

  @Test
  void shouldRefuseToGoOnWithoutItsFilesAndGoOnOnceTheyAreThere() {
    String run = paused("without-files");
    FakeStore.files(
        run, Status.FAILED_PRECONDITION.withDescription("checkpoint_gone: the files have been"));

    OrchestratorTestClient.Answer refused = resume(run);

    assertThat(refused.status()).as("%s", refused).isEqualTo(409);
    assertThat(refused.text()).contains("checkpoint_gone");
    OrchestratorTestClient.Answer otherwise =
        bed.api().json("/runs/" + run + "/resume", "{\"skip\":[\"a\"]}");
    assertThat(otherwise.status()).as("%s", otherwise).isEqualTo(409);
    assertThat(otherwise.text()).contains("checkpoint_gone");
    assertThat(bed.api().get("/runs/" + run).json().get("status").textValue()).isEqualTo("paused");
    assertThat(bed.api().get("/runs/" + run).json().get("epoch").intValue()).isEqualTo(1);
    FakeStore.files(run, null);
    assertThat(resume(run).status()).isEqualTo(202);
    cancel(run);
  }

  @Test
  void shouldGoOnWhenTheStoreCannotBeAsked() {
    String run = paused("store-away");
    FakeStore.files(run, Status.UNAVAILABLE.withDescription("away"));

    assertThat(resume(run).status()).isEqualTo(202);
    cancel(run);
  }

  private CompletableFuture<HttpResponse<String>> delete(String run) {
    // Threads of the common pool may have the configuration of an earlier application.
    OrchestratorTestClient api = bed.api();
    return CompletableFuture.supplyAsync(
        () ->
            api.send(
                    api.request("/runs/" + run).header("Content-Type", "application/json").DELETE())
                .raw());
  }

  private String failed(String workflow) {
    bed.api().workflow(workflow, true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), workflow, 1);
        TraceLog log = bed.log()) {
      String run =
          bed.api()
              .json("/runs", "{\"workflow\":\"" + workflow + "\"}")
              .json()
              .get("id")
              .textValue();
      runner.awaitAssign(run);
      log.append(
          run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunFailed(null, Failure.of("x", "y")));
      runner.release(run, 1, "failed");
      bed.api().await(run, shown -> shown.get("status").textValue().equals("failed"));
      return run;
    }
  }

  @Test
  void shouldNotResumeOrForkARunThatIsBeingDeleted() throws Exception {
    String run = failed("deleted-concurrently");
    FakeStore.HeldDeletion held = FakeStore.holdDeletion(run);
    CompletableFuture<HttpResponse<String>> deleted = delete(run);
    held.requested().get(20, TimeUnit.SECONDS);

    OrchestratorTestClient.Answer resumed = resume(run);
    OrchestratorTestClient.Answer forked =
        bed.api().json("/runs/" + run + "/fork", "{\"step\":\"a\"}");
    held.allowed().complete(null);

    assertThat(resumed.status()).as("%s", resumed).isEqualTo(409);
    assertThat(resumed.text()).contains("is being deleted");
    assertThat(forked.status()).as("%s", forked).isEqualTo(409);
    assertThat(forked.text()).contains("is being deleted");
    assertThat(deleted.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    assertThat(bed.api().get("/runs/" + run).status()).isEqualTo(404);
  }

  @Test
  void shouldResumeARunWhoseDeletionWasRefused() throws Exception {
    String run = failed("deletion-refused");
    String checkpoint = RunId.next();
    FakeStore.put(checkpoint, run, "verified");
    OrchestratorTestClient.Answer pinned =
        bed.api()
            .send(
                bed.api()
                    .request("/checkpoints/" + checkpoint + "/pin")
                    .header("Content-Type", "application/json")
                    .PUT(HttpRequest.BodyPublishers.ofString("{}")));
    assertThat(pinned.status()).as("%s", pinned).isEqualTo(200);

    HttpResponse<String> refused = delete(run).get(20, TimeUnit.SECONDS);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);

    assertThat(resume(run).status()).isEqualTo(202);
    cancel(run);
  }
}
