/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what the status of a RunnerPool shows. */
class RunnerPoolResourceTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final InMemoryOrchestrator orchestrator = new InMemoryOrchestrator();

  private RunnerPoolResourceReconciler reconciler(Duration later) {
    return new RunnerPoolResourceReconciler(
        orchestrator, "https://cluster/", Clock.fixed(NOW.plus(later), ZoneOffset.UTC));
  }

  private static RunnerPoolCustomResource pool(String spec) {
    RunnerPoolCustomResource pool =
        Serialization.unmarshal("{\"spec\":" + spec + "}", RunnerPoolCustomResource.class);
    pool.setMetadata(
        new ObjectMetaBuilder()
            .withName("gpu")
            .withNamespace("runners")
            .withUid("uid-1")
            .withGeneration(2L)
            .build());
    return pool;
  }

  private RunnerPoolResourceStatus status(RunnerPoolCustomResource pool) throws Exception {
    RunnerPoolResourceStatus status = reconciler(Duration.ZERO).status(pool);
    pool.setStatus(status);
    return status;
  }

  private static ResourceCondition condition(RunnerPoolResourceStatus status, String type) {
    return ResourceCondition.find(status.conditions(), type).orElseThrow();
  }

  @Test
  void shouldStoreTheSpecWithItsUnknownFieldsAndShowTheRunners() throws Exception {
    orchestrator.pool(new RunnerPoolReport(3, 3, 1, 5, "baton.dev/pool=gpu", null, null), null);

    RunnerPoolResourceStatus status = status(pool("{\"warm\":3,\"imgae\":\"a:1\"}"));

    assertThat(orchestrator.pools().get("uid-1")).isEqualTo("{\"warm\":3,\"imgae\":\"a:1\"}");
    assertThat(status.observedGeneration()).isEqualTo(2);
    assertThat(List.of(status.warm(), status.ready(), status.runners()))
        .isEqualTo(List.of(3, 1, 5));
    assertThat(status.selector()).isEqualTo("baton.dev/pool=gpu");
    assertThat(condition(status, "Accepted").isTrue()).isTrue();
    assertThat(condition(status, "Ready").reason()).isEqualTo("WarmRunnersStarting");
    assertThat(condition(status, "Ready").message())
        .isEqualTo(
            "1 of 3 idle runners run; see: kubectl --namespace runners get pods --selector baton.dev/pool=gpu");
  }

  @Test
  void shouldNotChangeWhileNothingHasChanged() throws Exception {
    orchestrator.pool(new RunnerPoolReport(1, 1, 1, 1, "s", null, null), null);
    RunnerPoolCustomResource pool = pool("{\"warm\":1}");
    RunnerPoolResourceStatus first = status(pool);

    assertThat(condition(first, "Ready").reason()).isEqualTo("WarmRunnersReady");
    assertThat(reconciler(Duration.ofHours(1)).status(pool)).isEqualTo(first);
  }

  @Test
  void shouldShowWhyNoRunnerStarts() throws Exception {
    orchestrator.pool(
        new RunnerPoolReport(1, 0, 0, 0, "s", "launcher_no_room", "exceeded quota: pods"), null);

    ResourceCondition ready = condition(status(pool("{\"warm\":1}")), "Ready");

    assertThat(ready.status()).isEqualTo("False");
    assertThat(ready.reason()).isEqualTo("LauncherNoRoom");
    assertThat(ready.message()).isEqualTo("exceeded quota: pods; the start is tried again");
  }

  @Test
  void shouldShowWhatIsWrongAndThatTheEarlierSpecStaysInEffect() throws Exception {
    orchestrator.pool(new RunnerPoolReport(1, 1, 1, 1, "s", null, null), "spec.warm is -1");
    RunnerPoolResourceStatus never = status(pool("{\"warm\":-1}"));
    assertThat(condition(never, "Accepted").message()).isEqualTo("spec.warm is -1");
    assertThat(never.warm()).isNull();

    orchestrator.pool(new RunnerPoolReport(1, 1, 1, 1, "s", null, null), null);
    status(pool("{\"warm\":1}"));
    orchestrator.pool(new RunnerPoolReport(1, 1, 1, 1, "s", null, null), "spec.warm is -1");
    RunnerPoolResourceStatus later = status(pool("{\"warm\":-1}"));

    assertThat(condition(later, "Accepted").status()).isEqualTo("False");
    assertThat(condition(later, "Accepted").message())
        .isEqualTo("spec.warm is -1; the earlier spec stays in effect");
    assertThat(condition(later, "Ready").isTrue()).isTrue();
    assertThat(later.warm()).isOne();
  }

  @Test
  void shouldStayWithinItsBound() throws Exception {
    String longText = "\u0001".repeat(10_000);
    orchestrator.pool(new RunnerPoolReport(1, 0, 0, 0, longText, longText, longText), null);
    status(pool("{}"));
    RunnerPoolResourceStatus accepted = status(pool("{}"));
    orchestrator.pool(new RunnerPoolReport(1, 0, 0, 0, longText, longText, longText), longText);
    RunnerPoolResourceStatus rejected = status(pool("{}"));

    assertThat(RunStatusMapper.jsonBytes(accepted))
        .isLessThanOrEqualTo(RunnerPoolResourceStatus.MAX_BYTES);
    assertThat(RunStatusMapper.jsonBytes(rejected))
        .isLessThanOrEqualTo(RunnerPoolResourceStatus.MAX_BYTES);
  }
}
