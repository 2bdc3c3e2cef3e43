/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.RunnerPhase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ends that a real kubelet reports, each of which must lead to the next epoch: on a node that has
 * the image {@code -Dkubernetes.image} with a shell.
 */
@Timeout(180)
class KubernetesNodeTest {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static KubernetesPlace place;

  private final List<LaunchedRunner> changes = new CopyOnWriteArrayList<>();
  private final List<RunnerExit> ends = new CopyOnWriteArrayList<>();
  private final String run = "r" + UUID.randomUUID();

  @SuppressWarnings("NullAway.Init")
  private KubernetesRunnerLauncher launcher;

  @BeforeAll
  static void connect() throws Exception {
    place = KubernetesPlace.openWithNode(folder);
  }

  @AfterAll
  @SuppressWarnings("NullAway") // Null without a cluster.
  static void disconnect() {
    if (place != null) {
      place.close();
    }
  }

  @AfterEach
  @SuppressWarnings("NullAway") // Null without a launch.
  void close() {
    if (launcher != null) {
      launcher.close();
    }
  }

  private LaunchSpec start(String script, long memory) throws Exception {
    launcher =
        place.launcher(folder.resolve("logs"), TestPods.plain(KubernetesPlace.image(), memory));
    launcher.observe(
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
    LaunchSpec spec = spec(1, script);
    launcher.start(spec);
    return spec;
  }

  private LaunchSpec spec(int epoch, String script) {
    return new LaunchSpec(run + "-" + epoch, run, epoch, "default", Map.of("KIT_SCRIPT", script));
  }

  private void awaitRun() {
    KubernetesPlace.await(
        "the run, seen " + changes,
        () -> changes.stream().anyMatch(one -> one.phase() == RunnerPhase.RUNNING));
  }

  private RunnerExit end() {
    KubernetesPlace.await("the exit", () -> !ends.isEmpty());
    return ends.getFirst();
  }

  /** The exit is final: the pod is removed, and the next epoch starts. */
  private void assertThatTheNextEpochStarts(LaunchSpec ended) throws Exception {
    KubernetesPlace.await("the removal of the pod", () -> place.pod(ended.runner()).isEmpty());
    assertThat(launcher.start(spec(2, "exit 0")).phase().isLive()).isTrue();
    KubernetesPlace.await("the exit of the next epoch", () -> ends.size() == 2);
    assertThat(ends.getLast().reason()).isEqualTo(ExitReason.COMPLETED);
  }

  @Test
  void shouldReportARunnerWithoutMemory() throws Exception {
    LaunchSpec spec = start("x=0123456789abcdef; while :; do x=$x$x; done", 24L << 20);

    RunnerExit exit = end();

    assertThat(exit.reason()).isEqualTo(ExitReason.OUT_OF_MEMORY);
    assertThat(exit.detail()).contains("24 MiB", "raise container.memory");
    assertThatTheNextEpochStarts(spec);
  }

  @Test
  void shouldReportARunnerThatFillsItsDisk() throws Exception {
    LaunchSpec spec = start("head -c 40m /dev/zero >/tmp/big; sleep 600", 96L << 20);

    RunnerExit exit = end();

    assertThat(exit.reason()).isEqualTo(ExitReason.EVICTED);
    assertThat(exit.detail()).contains("Evicted", "tmp");
    assertThatTheNextEpochStarts(spec);
  }

  @Test
  void shouldReportARunningPodThatIsDeletedByHand() throws Exception {
    LaunchSpec spec = start("trap 'exit 4' TERM; sleep 600 & wait", 64L << 20);
    awaitRun();

    place
        .admin
        .pods()
        .inNamespace(place.namespace)
        .withName(PodLabels.name("test", spec.runner()))
        .delete();

    RunnerExit exit = end();
    assertThat(exit.reason()).isEqualTo(ExitReason.DELETED);
    // The kubelet may remove the container before it has shown its code.
    assertThat(exit.exitCode()).isIn(4, null);
    assertThatTheNextEpochStarts(spec);
  }

  @Test
  void shouldReportAPodThatIsForcedOffTheApiServer() throws Exception {
    LaunchSpec spec = start("exec sleep 600", 64L << 20);
    awaitRun();

    place
        .admin
        .pods()
        .inNamespace(place.namespace)
        .withName(PodLabels.name("test", spec.runner()))
        .withGracePeriod(0)
        .delete();

    assertThat(end().reason()).isEqualTo(ExitReason.DELETED);
    assertThatTheNextEpochStarts(spec);
  }
}
