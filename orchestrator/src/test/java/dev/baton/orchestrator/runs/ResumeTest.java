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
import io.grpc.Status;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
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
}
