/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerPhase;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import org.junit.jupiter.api.Test;

class PodPhaseTest {
  private static PodPhase of(PodStatus status) {
    return PodPhase.of(TestPods.pod(status));
  }

  @Test
  void shouldBeQueuedWithTheSchedulersReasonUntilItHasANode() {
    Pod created =
        new PodBuilder(TestPods.pod(new PodStatusBuilder().withPhase("Pending").build()))
            .editSpec()
            .withNodeName(null)
            .endSpec()
            .build();
    Pod refused =
        new PodBuilder(created)
            .editStatus()
            .addNewCondition()
            .withType("PodScheduled")
            .withStatus("False")
            .withReason("Unschedulable")
            .withMessage("0/3 nodes are available: 3 Insufficient memory.")
            .endCondition()
            .endStatus()
            .build();

    assertThat(PodPhase.of(created)).isEqualTo(new PodPhase(RunnerPhase.QUEUED, null));
    assertThat(PodPhase.of(refused))
        .isEqualTo(
            new PodPhase(
                RunnerPhase.QUEUED,
                "Unschedulable: 0/3 nodes are available: 3 Insufficient memory."));
  }

  @Test
  void shouldBePullingWhileItsImageIsMissing() {
    assertThat(of(new PodStatusBuilder().withPhase("Pending").build()).phase())
        .isEqualTo(RunnerPhase.PULLING);
    assertThat(of(TestPods.waiting("ContainerCreating", "")))
        .isEqualTo(new PodPhase(RunnerPhase.PULLING, null));
    for (String word :
        new String[] {
          "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"
        }) {
      assertThat(of(TestPods.waiting(word, "no such image")))
          .isEqualTo(new PodPhase(RunnerPhase.PULLING, word + ": no such image"));
    }
  }

  @Test
  void shouldBeStartingWhenItsContainerCannotBeCreated() {
    assertThat(of(TestPods.waiting("CreateContainerConfigError", "secret \"s\" not found")))
        .isEqualTo(
            new PodPhase(
                RunnerPhase.STARTING, "CreateContainerConfigError: secret \"s\" not found"));
  }

  @Test
  void shouldEndWithItsContainerAlsoWhenThePodStillRuns() {
    assertThat(of(TestPods.running()).phase()).isEqualTo(RunnerPhase.RUNNING);
    assertThat(of(TestPods.terminated(0, "Completed")).phase()).isEqualTo(RunnerPhase.ENDED);
    PodStatus early =
        new PodStatusBuilder(TestPods.terminated(1, "Error")).withPhase("Running").build();
    assertThat(of(early).phase()).isEqualTo(RunnerPhase.ENDED);
    assertThat(of(new PodStatusBuilder().withPhase("Failed").withReason("Evicted").build()).phase())
        .isEqualTo(RunnerPhase.ENDED);
  }

  @Test
  void shouldNotReturnToAnEarlierPhase() {
    WatchedPod pod = new WatchedPod("r-1", "R");
    pod.sees(PodView.of(TestPods.pod(TestPods.running())));

    LaunchedRunner late =
        pod.sees(PodView.of(TestPods.pod(TestPods.waiting("ContainerCreating", ""))));

    assertThat(late.phase()).isEqualTo(RunnerPhase.RUNNING);
    assertThat(late.handle()).isEqualTo("uid-1");
    assertThat(pod.exit()).isNull();
  }

  @Test
  void shouldReportEachChangeOnceAndAgainWhatChangesMeanwhile() {
    WatchedPod pod = new WatchedPod("r-1", "R");
    pod.sees(PodView.of(TestPods.pod(TestPods.running())));

    assertThat(pod.change()).isNotNull();
    assertThat(pod.change()).isNull();
    assertThat(pod.beginReporting()).isTrue();
    assertThat(pod.beginReporting()).as("a second reporter").isFalse();
    assertThat(pod.endReporting()).as("end before the second change").isFalse();
    assertThat(pod.endReporting()).isTrue();
    assertThat(pod.beginReporting()).isTrue();
  }
}
