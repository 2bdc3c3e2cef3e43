/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.RunnerPoolRegistry;
import dev.baton.launcher.RunnerPoolTemplate;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests pools that are added to a launcher, changed and removed, with an API server on loopback.
 */
class PodPoolTest {
  private static final RunnerPoolTemplate.Owner OWNER =
      new RunnerPoolTemplate.Owner("baton.dev/v1alpha1", "RunnerPool", "gpu", "uid-1");

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private LocalApiServer server;

  @SuppressWarnings("NullAway.Init")
  private KubernetesRunnerLauncher launcher;

  @BeforeEach
  void open() throws Exception {
    server = new LocalApiServer();
    launcher =
        new KubernetesRunnerLauncher(
            new KubernetesLauncherSettings(
                Optional.of(server.kubeconfig(folder)),
                Optional.empty(),
                Optional.empty(),
                "test",
                TestPods.plain("image:1", 64L << 20),
                Map.of(),
                folder.resolve("logs"),
                Duration.ofSeconds(5),
                Duration.ofHours(1)));
    launcher.observe(
        new RunnerObserver() {
          @Override
          public void changed(LaunchedRunner runner) {}

          @Override
          public void ended(RunnerExit exit) {}
        });
  }

  @AfterEach
  void close() {
    launcher.close();
    server.close();
  }

  private static RunnerPoolTemplate template(String image) {
    return new RunnerPoolTemplate(
        image,
        128L << 20,
        null,
        2.0,
        null,
        null,
        null,
        Duration.ofSeconds(15),
        Map.of("gpu", "a100"),
        List.of(),
        null,
        OWNER);
  }

  private Pod start(String runner, String pool) throws LaunchException {
    launcher.start(new LaunchSpec(runner, null, 0, pool, Map.of()));
    return server.pod("baton-test-" + runner);
  }

  @Test
  void shouldCreatePodsOfAPoolAsItStatesWithItsResourceAsController() throws Exception {
    launcher.put("gpu", template("gpu:1"));

    Pod pod = start("warm-1", "gpu");

    assertThat(pod.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getApiVersion()).isEqualTo("baton.dev/v1alpha1");
              assertThat(owner.getKind()).isEqualTo("RunnerPool");
              assertThat(owner.getName()).isEqualTo("gpu");
              assertThat(owner.getUid()).isEqualTo("uid-1");
              assertThat(owner.getController()).isTrue();
              assertThat(owner.getBlockOwnerDeletion()).isFalse();
            });
    assertThat(pod.getSpec().getNodeSelector()).isEqualTo(Map.of("gpu", "a100"));
    assertThat(pod.getSpec().getTerminationGracePeriodSeconds()).isEqualTo(15);
    assertThat(pod.getSpec().getContainers().getFirst().getImage()).isEqualTo("gpu:1");
    assertThat(pod.getSpec().getContainers().getFirst().getResources().getLimits())
        .isEqualTo(Map.of("memory", new Quantity("134217728"), "cpu", new Quantity("2000m")));
    assertThat(launcher.selector("gpu"))
        .isEqualTo("baton.dev/installation=test,baton.dev/pool=gpu");
    assertThat(launcher.location())
        .isEqualTo(new RunnerPoolRegistry.Location(server.url(), "runs"));
  }

  @Test
  void shouldApplyAChangeToLaterPodsAndKeepOtherPoolsWithoutAnOwner() throws Exception {
    launcher.put("gpu", template("gpu:1"));
    launcher.put("gpu", template("gpu:2"));

    assertThat(start("warm-1", "gpu").getSpec().getContainers().getFirst().getImage())
        .isEqualTo("gpu:2");
    Pod other = start("warm-2", "default");
    assertThat(other.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(other.getSpec().getContainers().getFirst().getImage()).isEqualTo("image:1");
  }

  @Test
  void shouldStartNothingInARemovedPoolUntilItIsAddedAgain() throws Exception {
    launcher.put("gpu", template("gpu:1"));
    launcher.remove("gpu");

    assertThatThrownBy(() -> start("warm-1", "gpu"))
        .isInstanceOf(LaunchException.RejectedException.class)
        .hasMessageContaining("pool 'gpu': its RunnerPool was deleted; apply it again");
    assertThat(server.names()).isEmpty();

    launcher.put("gpu", template("gpu:1"));
    start("warm-1", "gpu");
    assertThat(server.names()).containsExactly("baton-test-warm-1");
  }
}
