/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.operator.OrchestratorClient;
import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.ResourceKey;
import dev.baton.operator.RunDeletionPolicy;
import dev.baton.operator.RunOperatingMode;
import dev.baton.operator.RunReport;
import dev.baton.operator.RunStart;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the port of the operator with real servers. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LocalOrchestratorClientTest {
  private static final int PATIENCE_SECONDS = 20;

  @Inject LocalOrchestratorClient client;
  @Inject OrchestratorTestEnvironment bed;

  private final String namespace = "n-" + UUID.randomUUID();

  private RunStart start(String uid, String workflow, RunDeletionPolicy policy) {
    return new RunStart(
        new ResourceKey(uid, namespace, "r"), policy, workflow, null, Map.of(), null, null, null);
  }

  private RunReport started(RunDeletionPolicy policy) throws Exception {
    String workflow = bed.api().workflow("operator-port", true);
    return client.start(start(UUID.randomUUID().toString(), workflow, policy));
  }

  @Test
  void shouldStartOneRunForEachUid() throws Exception {
    RunReport first = started(RunDeletionPolicy.CANCEL);
    String uid = first.resource().uid();

    RunReport again = client.start(start(uid, "operator-port", RunDeletionPolicy.ORPHAN));

    assertThat(again.run()).isEqualTo(first.run());
    assertThat(client.read(uid).orElseThrow().run()).isEqualTo(first.run());
    assertThat(client.read("unknown")).isEmpty();
    assertThat(client.owned(List.of(namespace)))
        .containsExactly(new OrchestratorClient.OwnedRun(first.resource(), first.run()));
    client.endDeleted(uid);
  }

  @Test
  void shouldCancelTheRunOfADeletedResourceOnce() throws Exception {
    RunReport run = started(RunDeletionPolicy.CANCEL);

    client.endDeleted(run.resource().uid());
    client.endDeleted(run.resource().uid());

    bed.api().await(run.run(), shown -> shown.get("status").textValue().equals("cancelled"));
    assertThat(client.owned(List.of(namespace))).isEmpty();
  }

  @Test
  void shouldKeepAnOrphanAsTheNewestPolicyRequires() throws Exception {
    RunReport run = started(RunDeletionPolicy.CANCEL);

    client.keepDeletionPolicy(run.resource().uid(), RunDeletionPolicy.ORPHAN);
    client.endDeleted(run.resource().uid());

    assertThat(client.read(run.resource().uid()).orElseThrow().ended()).isFalse();
    assertThat(client.owned(List.of(namespace))).isEmpty();
    client.apply(run.run(), RunOperatingMode.CANCELLED);
  }

  @Test
  void shouldReportTheEndOfARunThatNoRoundHasSeen() throws Exception {
    BlockingQueue<RunReport> reports = new LinkedBlockingQueue<>();
    RunReport run = started(RunDeletionPolicy.CANCEL);
    client.apply(run.run(), RunOperatingMode.CANCELLED);
    bed.api().await(run.run(), shown -> shown.get("status").textValue().equals("cancelled"));

    try (OrchestratorClient.Subscription following =
        client.follow(List.of(namespace), reports::add)) {
      RunReport report =
          Objects.requireNonNull(reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), "no report");

      assertThat(report.status()).isEqualTo("cancelled");
      assertThat(report.ended()).isTrue();
      assertThat(following).isNotNull();
    }
    RejectedException late =
        catchThrowableOfType(
            RejectedException.class, () -> client.apply(run.run(), RunOperatingMode.PAUSED));
    assertThat(late.reason()).isEqualTo("Conflict");
  }

  @Test
  void shouldRejectAMissingWorkflowAndADefinitionWithItsFirstFiveErrors() {
    RejectedException missing =
        catchThrowableOfType(
            RejectedException.class,
            () -> client.start(start("u", "no-such-workflow", RunDeletionPolicy.CANCEL)));
    String steps = "{\"id\":\"a\",\"nonsense\":1},".repeat(7);
    RejectedException invalid =
        catchThrowableOfType(
            RejectedException.class,
            () ->
                client.store(
                    ("{\"name\":\"broken\",\"steps\":["
                            + steps.substring(0, steps.length() - 1)
                            + "]}")
                        .getBytes(StandardCharsets.UTF_8)));

    assertThat(missing.reason()).isEqualTo("NotFound");
    assertThat(missing).hasMessageContaining("no-such-workflow");
    assertThat(invalid.reason()).isEqualTo("InvalidWorkflow");
    assertThat(invalid.text()).contains("steps").contains(" more");
    assertThat(invalid.text().split(" \\| ", -1)).hasSize(6);
  }
}
