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
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cluster does rarely: refusals, gaps, lost nodes, and an API server that is away. */
@Timeout(60)
class KubernetesFailureTest {
  private static final Duration WITHIN = Duration.ofSeconds(20);
  private static final LaunchSpec SPEC =
      new LaunchSpec("r-1", "R", 1, "default", Map.of("BATON_LEASE", "text"));
  private static final String POD = "baton-test-r-1";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private LocalApiServer server;

  private final List<LaunchedRunner> changes = new CopyOnWriteArrayList<>();
  private final List<RunnerExit> ends = new CopyOnWriteArrayList<>();
  private final List<KubernetesRunnerLauncher> instances = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    server = new LocalApiServer();
  }

  @AfterEach
  void close() {
    instances.forEach(KubernetesRunnerLauncher::close);
    server.close();
  }

  private KubernetesRunnerLauncher launcher(Duration relist) throws Exception {
    return launcher(relist, server.kubeconfig(folder));
  }

  private KubernetesRunnerLauncher launcher(Duration relist, Path kubeconfig) {
    return launcher(relist, kubeconfig, Duration.ofSeconds(5));
  }

  private KubernetesRunnerLauncher launcher(
      Duration relist, Path kubeconfig, Duration callTimeout) {
    KubernetesRunnerLauncher launcher =
        new KubernetesRunnerLauncher(
            new KubernetesLauncherSettings(
                Optional.of(kubeconfig),
                Optional.empty(),
                Optional.empty(),
                "test",
                TestPods.plain("image:1", 64L << 20),
                Map.of(),
                folder.resolve("logs"),
                callTimeout,
                relist));
    instances.add(launcher);
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
    return launcher;
  }

  /** Events alone: the next list would come after the test. */
  private KubernetesRunnerLauncher watching() throws Exception {
    KubernetesRunnerLauncher launcher = launcher(Duration.ofHours(1));
    await("the watch", () -> server.watches() == 1);
    return launcher;
  }

  private static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  private RunnerExit end() {
    await("the exit", () -> !ends.isEmpty());
    return ends.getFirst();
  }

  @Test
  void shouldPushPhasesAndReasonsAndNoExitWhileTheImageIsMissing() throws Exception {
    KubernetesRunnerLauncher launcher = watching();

    LaunchedRunner started = launcher.start(SPEC);
    server.report(POD, TestPods.waiting("ImagePullBackOff", "Back-off pulling image"));
    await(
        "the back-off",
        () -> changes.stream().anyMatch(change -> change.phase() == RunnerPhase.PULLING));
    server.report(POD, TestPods.running());
    await("the run", () -> changes.getLast().phase() == RunnerPhase.RUNNING);

    assertThat(started.phase()).isEqualTo(RunnerPhase.QUEUED);
    assertThat(started.handle()).isEqualTo(server.uid(POD));
    // The watch may see the pod before the launch returns it.
    List<LaunchedRunner> later =
        changes.stream().filter(change -> change.phase() != RunnerPhase.QUEUED).toList();
    assertThat(later)
        .extracting(LaunchedRunner::phase)
        .containsExactly(RunnerPhase.PULLING, RunnerPhase.RUNNING);
    assertThat(later.getFirst().reason()).isEqualTo("ImagePullBackOff: Back-off pulling image");
    assertThat(ends).isEmpty();
  }

  @Test
  void shouldReportAnExitStoreTheOutputAndDeleteThePod() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);

    server.report(POD, TestPods.terminated(7, "Error"));

    assertThat(end().exitCode()).isEqualTo(7);
    await("the deletion", () -> server.names().isEmpty());
    assertThat(Path.of(launcher.logLocation("r-1"))).content().contains("output of " + POD);
    assertThat(launcher.start(SPEC).phase()).as("a repeated start").isEqualTo(RunnerPhase.ENDED);
    assertThat(ends).hasSize(1);
  }

  @Test
  void shouldCreateOnePodAndItsSecretForAllInstances() throws Exception {
    KubernetesRunnerLauncher first = watching();
    server.refuse("POST", 503, "ServiceUnavailable", "starting", 1);
    server.refuse("POST", 429, "TooManyRequests", "later", 1);

    LaunchedRunner started = first.start(SPEC);
    first.close();
    KubernetesRunnerLauncher second = launcher(Duration.ofHours(1));
    LaunchedRunner again = second.start(SPEC);

    assertThat(again.handle()).isEqualTo(started.handle());
    assertThat(server.names()).containsExactly(POD);
    assertThat(server.secrets())
        .singleElement()
        .satisfies(
            secret -> assertThat(secret.getStringData()).containsEntry("BATON_LEASE", "text"));
  }

  @Test
  void shouldAdoptByUidAndReportTheExit() throws Exception {
    KubernetesRunnerLauncher first = watching();
    String handle = first.start(SPEC).handle();
    server.report(POD, TestPods.running());
    first.close();
    KubernetesRunnerLauncher second = launcher(Duration.ofHours(1));

    assertThat(second.adopt("r-1", "another-uid").phase()).isEqualTo(RunnerPhase.GONE);
    assertThat(second.adopt("r-1", handle).phase()).isEqualTo(RunnerPhase.RUNNING);
    assertThat(second.list()).extracting(LaunchedRunner::handle).containsExactly(handle);
    server.report(POD, TestPods.terminated(0, "Completed"));

    assertThat(end().reason()).isEqualTo(ExitReason.COMPLETED);
  }

  @Test
  void shouldReportAPodThatIsDeletedByHand() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    server.report(POD, TestPods.running());

    server.delete(POD);

    assertThat(end().reason()).isEqualTo(ExitReason.DELETED);
  }

  @Test
  void shouldFindADeletionWhoseEventWasLost() throws Exception {
    KubernetesRunnerLauncher launcher = launcher(Duration.ofMillis(300));
    launcher.start(SPEC);
    server.report(POD, TestPods.running());

    server.lose(POD);

    assertThat(end().reason()).isEqualTo(ExitReason.DELETED);
  }

  @Test
  void shouldListAgainWhenTheVersionOfTheWatchIsTooOld() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    server.report(POD, TestPods.running());
    await("the run", () -> !changes.isEmpty());

    server.lose(POD);
    server.expireWatches();

    assertThat(end().reason()).isEqualTo(ExitReason.DELETED);
    await("the new watch", () -> server.watches() == 1);
  }

  @Test
  void shouldWaitForRoomWhenAQuotaIsUsedUp() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    server.refuse("POST", 403, "Forbidden", "pods is forbidden: exceeded quota: q", 1);

    assertThatThrownBy(() -> launcher.start(SPEC))
        .isInstanceOf(LaunchException.NoRoomException.class)
        .hasMessageContainingAll("exceeded quota: q", "namespace runs");
    assertThat(server.requests()).as("no retry of a refusal").isLessThanOrEqualTo(2);
    assertThat(launcher.start(SPEC).phase().isLive()).as("a start with room").isTrue();
  }

  @Test
  void shouldKillOlderEpochsAndForceWhatItsNodeDoesNotConfirm() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    launcher.start(new LaunchSpec("r-2", "R", 2, "default", Map.of()));
    server.report(POD, TestPods.running());
    server.report("baton-test-r-2", TestPods.running());
    Set<String> killed = ConcurrentHashMap.newKeySet();

    Set<String> left =
        launcher.kill(
            new KillRequest(Map.of("R", 2), Map.of(), Duration.ofSeconds(15)), killed::add);

    assertThat(left).isEmpty();
    assertThat(killed).containsExactly("R");
    assertThat(server.names()).containsExactly("baton-test-r-2");
    assertThat(server.deletions())
        .extracting(LocalApiServer.Deletion::grace)
        .startsWith(1L)
        .endsWith(0L);
    assertThat(end().reason()).isEqualTo(ExitReason.KILLED);
  }

  /** A kubelet such as that of 1.20 loses the exit code of a pod that is deleted before that. */
  @ParameterizedTest
  @ValueSource(strings = {"ContainerCreating", "CreateContainerConfigError"})
  void shouldStopAPodWhenItsContainerWasCreated(String before) throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    server.report(POD, TestPods.waiting(before, null));

    launcher.stop("r-1");
    server.report(POD, TestPods.running());

    await("the deletion", () -> !server.deletions().isEmpty());
    assertThat(server.deletions()).containsExactly(new LocalApiServer.Deletion(-1, "Running"));
  }

  @Test
  void shouldKillOlderEpochsWhenTheirContainersWereCreated() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    server.report(POD, TestPods.waiting("ContainerCreating", null));
    int before = server.requests();
    CompletableFuture<Set<String>> left =
        CompletableFuture.supplyAsync(
            () ->
                launcher.kill(
                    new KillRequest(Map.of("R", 2), Map.of(), Duration.ofSeconds(15)), run -> {}));
    await("two attempts, of two requests each", () -> server.requests() >= before + 4);

    server.report(POD, TestPods.running());
    await("the deletion", () -> !server.deletions().isEmpty());
    server.report(POD, TestPods.terminated(137, "Error"));

    assertThat(left.get(20, TimeUnit.SECONDS)).isEmpty();
    assertThat(server.deletions()).startsWith(new LocalApiServer.Deletion(1, "Running"));
    assertThat(end().signal()).isEqualTo(9);
  }

  @Test
  void shouldStopAPodWhoseContainerIsNeverReported() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    server.report(POD, TestPods.waiting("ContainerCreating", null));

    launcher.stop("r-1");

    await("the deletion", () -> !server.deletions().isEmpty());
    assertThat(server.deletions()).containsExactly(new LocalApiServer.Deletion(-1, "Pending"));
  }

  @Test
  void shouldDeleteAPodWithoutANodeAtOnceUnlessItHasOneNow() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    try (KubernetesApi api = api()) {
      PodView unassigned = api.find(POD).orElseThrow();
      server.report(POD, TestPods.waiting("ContainerCreating", null));

      assertThat(api.delete(unassigned, 1L)).as("deletion of a pod that has changed").isFalse();
      assertThat(server.names()).containsExactly(POD);
    }
    launcher.start(new LaunchSpec("r-2", "R", 2, "default", Map.of()));

    launcher.kill("r-2");

    assertThat(server.names()).containsExactly(POD);
  }

  @Test
  void shouldKeepItsWatchLongerThanARequestMayTake() throws Exception {
    KubernetesRunnerLauncher launcher =
        launcher(Duration.ofHours(1), server.kubeconfig(folder), Duration.ofSeconds(1));
    await("the watch", () -> server.watches() == 1);
    launcher.start(SPEC);
    LockSupport.parkNanos(Duration.ofMillis(2_500).toNanos());

    server.report(POD, TestPods.running());

    await("the event", () -> changes.stream().anyMatch(one -> one.phase() == RunnerPhase.RUNNING));
    assertThat(server.opened()).isOne();
  }

  private KubernetesApi api() throws Exception {
    return new KubernetesApi(
        new KubernetesLauncherSettings(
            Optional.of(server.kubeconfig(folder)),
            Optional.empty(),
            Optional.of("runs"),
            "test",
            TestPods.plain("image:1", 1L << 20),
            Map.of(),
            folder,
            Duration.ofSeconds(5),
            Duration.ofHours(1)));
  }

  @Test
  void shouldEndThePodOfALostNode() throws Exception {
    KubernetesRunnerLauncher launcher = launcher(Duration.ofMillis(300));
    launcher.start(SPEC);
    server.report(POD, TestPods.running());

    server.deleteLater(POD, Instant.now().minusSeconds(300));

    RunnerExit exit = end();
    assertThat(exit.reason()).isEqualTo(ExitReason.NODE_LOST);
    assertThat(server.names()).isEmpty();
  }

  @Test
  void shouldNotDeleteAnotherPodUnderTheName() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);

    try (KubernetesApi api = api()) {
      api.delete(POD, "uid-of-an-earlier-pod", 0L);
    }

    assertThat(server.names()).containsExactly(POD);
  }

  @Test
  void shouldRejectAPodOfAnotherOrigin() throws Exception {
    KubernetesRunnerLauncher launcher = watching();
    launcher.start(SPEC);
    launcher.close();
    server.change(
        POD,
        pod -> {
          pod.getMetadata().setLabels(Map.of());
          return pod;
        });

    assertThatThrownBy(() -> launcher(Duration.ofHours(1)).start(SPEC))
        .isInstanceOf(LaunchException.RejectedException.class)
        .hasMessageContainingAll(POD, "delete that pod");
  }

  @Test
  void shouldReportAnApiServerThatIsAwayAndHoldUpNoOtherRun() throws Exception {
    Path kubeconfig = server.kubeconfig(folder);
    server.close();
    KubernetesRunnerLauncher launcher = launcher(Duration.ofHours(1), kubeconfig);
    Set<String> killed = ConcurrentHashMap.newKeySet();

    assertThatThrownBy(() -> launcher.start(SPEC))
        .isInstanceOf(LaunchException.UnavailableException.class)
        .hasMessageContainingAll("127.0.0.1", "start it", "kubernetes.*");
    Set<String> left =
        launcher.kill(
            new KillRequest(
                Map.of("here", 2, "elsewhere", 2),
                Map.of("here", List.of("uid")),
                Duration.ofSeconds(1)),
            killed::add);

    assertThat(killed).containsExactly("elsewhere");
    assertThat(left).containsExactly("here");
  }
}
