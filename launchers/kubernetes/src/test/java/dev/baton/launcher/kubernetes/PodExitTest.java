/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.RunnerExit;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import org.junit.jupiter.api.Test;

class PodExitTest {
  private static RunnerExit ended(PodStatus status) {
    return PodExit.of("r-1", TestPods.pod(status), false, PodExit.Removal.NONE);
  }

  private static PodStatus failed(String reason, String message) {
    return new PodStatusBuilder()
        .withPhase("Failed")
        .withReason(reason)
        .withMessage(message)
        .build();
  }

  private static PodStatus disrupted(String reason) {
    return new PodStatusBuilder(TestPods.terminated(143, "Error"))
        .addNewCondition()
        .withType("DisruptionTarget")
        .withStatus("True")
        .withReason(reason)
        .withMessage("of the cluster")
        .endCondition()
        .build();
  }

  @Test
  void shouldReportCodeAndSignalOfAnEnd() {
    assertThat(ended(TestPods.terminated(0, "Completed")).reason()).isEqualTo(ExitReason.COMPLETED);
    RunnerExit bad = ended(TestPods.terminated(7, "Error"));
    assertThat(bad.reason()).isEqualTo(ExitReason.FAILED);
    assertThat(bad.exitCode()).isEqualTo(7);
    assertThat(ended(TestPods.terminated(137, "Error")).signal()).isEqualTo(9);
  }

  @Test
  void shouldNameTheLimitOfARunnerThatUsedTooMuchMemory() {
    RunnerExit exit = ended(TestPods.terminated(137, "OOMKilled"));

    assertThat(exit.reason()).isEqualTo(ExitReason.OUT_OF_MEMORY);
    assertThat(exit.detail()).contains("64 MiB", "container.memory");
    assertThat(ended(TestPods.terminated(0, "OOMKilled")).reason())
        .as("only a child was killed")
        .isEqualTo(ExitReason.COMPLETED);
  }

  @Test
  void shouldReportWhyTheClusterEndedIt() {
    RunnerExit evicted = ended(failed("Evicted", "The node was low on resource: memory."));
    assertThat(evicted.reason()).isEqualTo(ExitReason.EVICTED);
    assertThat(evicted.detail()).isEqualTo("Evicted: The node was low on resource: memory.");
    assertThat(ended(failed("OutOfcpu", "no")).reason()).isEqualTo(ExitReason.EVICTED);
    assertThat(ended(failed("Preempting", "no")).reason()).isEqualTo(ExitReason.PREEMPTED);
    assertThat(ended(failed("NodeLost", "no")).reason()).isEqualTo(ExitReason.NODE_LOST);
    assertThat(ended(disrupted("PreemptionByScheduler")).reason()).isEqualTo(ExitReason.PREEMPTED);
    assertThat(ended(disrupted("EvictionByEvictionAPI")).reason()).isEqualTo(ExitReason.EVICTED);
    assertThat(ended(disrupted("DeletionByTaintManager")).reason()).isEqualTo(ExitReason.NODE_LOST);
    assertThat(ended(disrupted("TerminationByKubelet")).exitCode()).isEqualTo(143);
  }

  @Test
  void shouldDistinguishDeletionsByOthersFromItsOwn() {
    Pod running = TestPods.pod(TestPods.running());
    Pod stopped =
        new PodBuilder(TestPods.pod(TestPods.terminated(3, "Error")))
            .editMetadata()
            .withDeletionTimestamp("2026-01-01T00:00:00Z")
            .endMetadata()
            .build();

    assertThat(PodExit.of("r-1", running, true, PodExit.Removal.NONE).reason())
        .isEqualTo(ExitReason.DELETED);
    RunnerExit byHand = PodExit.of("r-1", stopped, false, PodExit.Removal.NONE);
    assertThat(byHand.reason()).isEqualTo(ExitReason.DELETED);
    assertThat(byHand.exitCode()).isEqualTo(3);
    RunnerExit own = PodExit.of("r-1", stopped, true, PodExit.Removal.REQUESTED);
    assertThat(own.reason()).isEqualTo(ExitReason.FAILED);
    assertThat(own.exitCode()).isEqualTo(3);
    assertThat(PodExit.of("r-1", running, true, PodExit.Removal.REQUESTED).reason())
        .isEqualTo(ExitReason.KILLED);
    assertThat(PodExit.of("r-1", running, true, PodExit.Removal.OVERDUE).reason())
        .isEqualTo(ExitReason.NODE_LOST);
  }

  @Test
  void shouldReportTheFirstOfTwoDeletions() {
    Pod preempted =
        new PodBuilder(TestPods.pod(TestPods.running()))
            .editMetadata()
            .withDeletionTimestamp("2026-01-01T00:00:00Z")
            .endMetadata()
            .build();
    Pod ended = new PodBuilder(preempted).withStatus(TestPods.terminated(143, "Error")).build();
    WatchedPod pod = new WatchedPod("r-1", "R");
    pod.sees(PodView.of(preempted));

    pod.removes(PodExit.Removal.REQUESTED);
    pod.sees(PodView.of(ended));

    RunnerExit exit = pod.exit();
    assertThat(exit == null ? null : exit.reason()).isEqualTo(ExitReason.DELETED);
    assertThat(exit == null ? null : exit.exitCode()).isEqualTo(143);
  }

  @Test
  void shouldNameTheImageThatWasMissingUntilTheTimeout() {
    Pod waiting = TestPods.pod(TestPods.waiting("ImagePullBackOff", "no such image"));

    RunnerExit exit = PodExit.of("r-1", waiting, true, PodExit.Removal.REQUESTED);

    assertThat(exit.reason()).isEqualTo(ExitReason.IMAGE_MISSING);
    assertThat(exit.detail()).isEqualTo("ImagePullBackOff: no such image");
  }

  @Test
  void shouldKeepTheExitOfAPodThatIsDeletedAfterItsEnd() {
    WatchedPod pod = new WatchedPod("r-1", "R");
    pod.sees(PodView.of(TestPods.pod(TestPods.terminated(7, "Error"))));
    pod.removes(PodExit.Removal.REQUESTED);

    pod.seesDeletion(PodView.of(TestPods.pod(TestPods.running())));

    RunnerExit exit = pod.exit();
    assertThat(exit).isNotNull();
    assertThat(exit == null ? null : exit.exitCode()).isEqualTo(7);
  }
}
