/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.RunnerPhase;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real API server does with the launcher's requests, with the rights of {@code rbac.yaml}.
 * Its pods fit no node: the tests assign one that does not exist, and report what a kubelet would.
 */
@Timeout(120)
class KubernetesClusterTest {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static KubernetesPlace place;

  private final List<LaunchedRunner> changes = new CopyOnWriteArrayList<>();
  private final List<RunnerExit> ends = new CopyOnWriteArrayList<>();
  private final LaunchSpec spec = spec("R" + UUID.randomUUID(), 1);

  @SuppressWarnings("NullAway.Init")
  private KubernetesRunnerLauncher launcher;

  @BeforeAll
  static void connect() throws Exception {
    place = KubernetesPlace.open(folder);
  }

  @AfterAll
  @SuppressWarnings("NullAway") // Null without a cluster.
  static void disconnect() {
    if (place != null) {
      place.close();
    }
  }

  @BeforeEach
  void open() {
    launcher = open(TestPods.unschedulable("no-such-image:1"));
  }

  @AfterEach
  void close() {
    launcher.close();
  }

  private KubernetesRunnerLauncher open(PodSettings pod) {
    KubernetesRunnerLauncher opened = place.launcher(folder.resolve("logs"), pod);
    opened.observe(
        new RunnerObserver() {
          @Override
          public void changed(LaunchedRunner runner) {
            changes.add(runner);
          }

          @Override
          public void ended(RunnerExit exit) {
            ends.add(exit);
          }
        });
    return opened;
  }

  private static LaunchSpec spec(String run, int epoch) {
    return new LaunchSpec(
        run.toLowerCase(java.util.Locale.ROOT) + "-" + epoch,
        run,
        epoch,
        "default",
        Map.of("BATON_LEASE", "lease-text"));
  }

  private RunnerExit end() {
    KubernetesPlace.await("the exit", () -> !ends.isEmpty());
    return ends.getFirst();
  }

  private void awaitPhase(RunnerPhase phase) {
    KubernetesPlace.await(
        "phase " + phase + ", seen " + changes,
        () -> changes.stream().anyMatch(change -> change.phase() == phase));
  }

  @Test
  void shouldFollowARunnerFromItsPodToItsEnd() throws Exception {
    LaunchedRunner started = launcher.start(spec);
    String secret = PodView.of(place.pod(spec.runner()).orElseThrow()).secret();
    assertThat(started.phase()).isEqualTo(RunnerPhase.QUEUED);
    assertThat(place.admin.secrets().inNamespace(place.namespace).withName(secret).get().getData())
        .containsKeys("BATON_LEASE", "BATON_EPOCH");

    KubernetesPlace.await(
        "the scheduler's reason, seen " + changes,
        () ->
            changes.stream()
                .anyMatch(one -> String.valueOf(one.reason()).startsWith("Unschedulable")));
    place.bind(spec.runner());
    place.report(spec.runner(), TestPods.waiting("ImagePullBackOff", "Back-off pulling image"));
    awaitPhase(RunnerPhase.PULLING);
    place.report(spec.runner(), TestPods.running());
    awaitPhase(RunnerPhase.RUNNING);
    place.report(spec.runner(), TestPods.terminated(137, "OOMKilled"));

    assertThat(end().reason()).isEqualTo(ExitReason.OUT_OF_MEMORY);
    KubernetesPlace.await("the deletion of the pod", () -> place.pod(spec.runner()).isEmpty());
    KubernetesPlace.await(
        "the deletion of the secret",
        () -> place.admin.secrets().inNamespace(place.namespace).withName(secret).get() == null);
    assertThat(changes)
        .anyMatch(change -> String.valueOf(change.reason()).startsWith("ImagePullBackOff"));
  }

  @Test
  void shouldFindThePodThatAnotherInstanceHasStartedAndAdoptIt() throws Exception {
    LaunchedRunner started = launcher.start(spec);
    launcher.close();
    try (KubernetesRunnerLauncher second = open(TestPods.unschedulable("no-such-image:1"))) {
      LaunchedRunner adopted = second.adopt(spec.runner(), started.handle());
      LaunchedRunner again = second.start(spec);

      assertThat(adopted.handle()).isEqualTo(started.handle()).isEqualTo(again.handle());
      assertThat(second.list()).extracting(LaunchedRunner::runner).contains(spec.runner());
      assertThat(second.adopt("other", UUID.randomUUID().toString()).phase())
          .isEqualTo(RunnerPhase.GONE);
      place.bind(spec.runner());
      place.report(
          spec.runner(),
          new PodStatusBuilder()
              .withPhase("Failed")
              .withReason("Evicted")
              .withMessage("The node was low on resource: memory.")
              .build());
      assertThat(end().reason()).isEqualTo(ExitReason.EVICTED);
    }
  }

  @Test
  void shouldReportAPodThatIsDeletedByHand() throws Exception {
    launcher.start(spec);

    place
        .admin
        .pods()
        .inNamespace(place.namespace)
        .withName(PodLabels.name("test", spec.runner()))
        .delete();

    assertThat(end().reason()).isEqualTo(ExitReason.DELETED);
  }

  @Test
  void shouldKillOlderEpochsAlsoOnANodeThatIsLost() throws Exception {
    LaunchSpec next = spec(String.valueOf(spec.run()), 2);
    launcher.start(spec);
    launcher.start(next);
    place.bind(spec.runner());
    place.report(spec.runner(), TestPods.running());
    awaitPhase(RunnerPhase.RUNNING);
    Set<String> killed = ConcurrentHashMap.newKeySet();

    Set<String> left =
        launcher.kill(
            new KillRequest(
                Map.of(String.valueOf(spec.run()), 2), Map.of(), Duration.ofSeconds(30)),
            killed::add);

    assertThat(left).isEmpty();
    assertThat(killed).containsExactly(spec.run());
    assertThat(place.pod(spec.runner())).isEmpty();
    assertThat(place.pod(next.runner())).isPresent();
    assertThat(end().reason()).isEqualTo(ExitReason.KILLED);
  }

  @Test
  void shouldWaitForRoomWhenAQuotaIsUsedUp() throws Exception {
    place
        .admin
        .resourceQuotas()
        .inNamespace(place.namespace)
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("runners")
                .endMetadata()
                .withNewSpec()
                .withHard(Map.of("pods", new Quantity("0")))
                .endSpec()
                .build())
        .create();
    try {
      KubernetesPlace.await(
          "the quota",
          () ->
              place
                      .admin
                      .resourceQuotas()
                      .inNamespace(place.namespace)
                      .withName("runners")
                      .get()
                      .getStatus()
                      .getHard()
                  != null);

      assertThatThrownBy(() -> launcher.start(spec))
          .isInstanceOf(LaunchException.NoRoomException.class)
          .hasMessageContainingAll("exceeded quota: runners", place.namespace);
    } finally {
      place.admin.resourceQuotas().inNamespace(place.namespace).withName("runners").delete();
    }
    KubernetesPlace.await("room", () -> canStart());
  }

  private boolean canStart() {
    try {
      return launcher.start(spec).phase().isLive();
    } catch (LaunchException e) {
      return false;
    }
  }

  @Test
  void shouldRejectAPodThatTheApiServerRefuses() {
    try (KubernetesRunnerLauncher bad = open(TestPods.unschedulable(""))) {
      assertThatThrownBy(() -> bad.start(spec))
          .isInstanceOf(LaunchException.RejectedException.class)
          .hasMessageContaining("image");
    }
    assertThat(place.pod(spec.runner())).isEmpty();
  }
}
