/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.RunnerLauncher;
import dev.baton.orchestrator.launch.RunnerLauncherFactory;
import dev.baton.orchestrator.testing.TestConfigFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerConfigValidatorTest {
  private static final String KEY = LauncherKeysFixture.KEY;
  private static final LauncherKeysFixture KEYS = new LauncherKeysFixture("docker");

  @TempDir Path folder;

  @Test
  void shouldRequireAnImage() {
    KEYS.assertImageIsRequired();
  }

  @Test
  void shouldNameKeyValueAndWhatIsAllowed() {
    KEYS.assertNotAllowed(
        Map.ofEntries(
            Map.entry("docker.host", "http://docker"),
            Map.entry("docker.installation", "Main"),
            Map.entry("docker.timeout", "10ms"),
            Map.entry("container.image", "two words"),
            Map.entry("container.network", "a b"),
            Map.entry("container.memory", "4gb"),
            Map.entry("container.cpus", "0"),
            Map.entry("container.pids", "1"),
            Map.entry("container.work-size", "2g,exec"),
            Map.entry("pools.big.container.tmp-size", "all")));
  }

  @Test
  void shouldNameTheLineAndNotItsText() {
    assertThat(KEYS.problems("container.environment", "A=1\nsecret"))
        .singleElement()
        .asString()
        .contains(KEY + "container.environment: line 2")
        .doesNotContain("secret");
    assertThat(KEYS.problems("container.volumes", "keys"))
        .singleElement()
        .asString()
        .contains(KEY + "container.volumes: line 1");
  }

  @Test
  void shouldCreateALauncherWhoseRunnersOutliveTheOrchestrator() {
    OrchestratorConfig config =
        TestConfigFactory.of(
            Map.of(
                "baton.data",
                folder.toString(),
                KEY + "type",
                "docker",
                KEY + "container.image",
                "baton/runner:1",
                KEY + "container.environment",
                "A=1\nB=2=3",
                KEY + "pools.big.container.memory",
                "8g"));

    try (RunnerLauncher launcher =
        new RunnerLauncherFactory()
            .create(config, Objects.requireNonNull(config.launchers().get("a")))
            .orElseThrow()) {
      assertThat(launcher.type()).isEqualTo("docker");
      assertThat(launcher.capabilities().canStart()).isTrue();
      assertThat(launcher.capabilities().outlivesOrchestrator()).isTrue();
      assertThat(launcher.logLocation("r")).startsWith(folder.toString());
    }
  }
}
