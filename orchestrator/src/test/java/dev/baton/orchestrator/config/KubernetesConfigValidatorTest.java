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
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesConfigValidatorTest {
  private static final String KEY = LauncherKeysFixture.KEY;
  private static final LauncherKeysFixture KEYS = new LauncherKeysFixture("kubernetes");

  @TempDir Path folder;

  @Test
  void shouldRequireAnImage() {
    KEYS.assertImageIsRequired();
  }

  @Test
  void shouldNameKeyValueAndWhatIsAllowed() {
    KEYS.assertNotAllowed(
        Map.ofEntries(
            Map.entry("kubernetes.kubeconfig", "/no/such/file"),
            Map.entry("kubernetes.namespace", "Main"),
            Map.entry("kubernetes.installation", "a_b"),
            Map.entry("kubernetes.timeout", "10ms"),
            Map.entry("container.memory", "4Gi"),
            Map.entry("pod.grace", "1500ms"),
            Map.entry("pod.requested-memory", "1Gi"),
            Map.entry("pod.requested-cpus", "0"),
            Map.entry("pod.service-account", "A b"),
            Map.entry("pod.token-audience", "a b"),
            Map.entry("pools.big.pod.priority-class", "High")));
  }

  @Test
  void shouldNameTheLineThatIsNotAllowed() {
    assertThat(KEYS.problems("pod.tolerations", "dedicated=runners:NoSchedule\na:Never"))
        .singleElement()
        .asString()
        .contains(KEY + "pod.tolerations: line 2");
    assertThat(KEYS.problems("pools.big.pod.node-selector", "arch"))
        .singleElement()
        .asString()
        .contains(KEY + "pools.big.pod.node-selector: line 1");
    assertThat(KEYS.problems("pod.pull-secrets", "a b"))
        .singleElement()
        .asString()
        .contains(KEY + "pod.pull-secrets: line 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keys:/keys",
        "secret:keys",
        "secret:Keys:/keys",
        "secret:keys:keys",
        "secret:keys:/",
        "secret:keys:/a/../etc",
        "secret:keys:/work/keys",
        "config-map:ca:/tmp",
        "host:/etc:/etc",
      })
  void shouldRefuseVolumes(String line) {
    assertThat(KEYS.problems("pod.volumes", "config-map:ca:/run/baton/tls\n" + line))
        .singleElement()
        .asString()
        .contains(KEY + "pod.volumes: line 2");
  }

  @Test
  void shouldRefuseKeysThatHaveNoEffectOnPods() {
    for (String key : List.of("network", "pids", "init", "volumes")) {
      String value =
          switch (key) {
            case "pids" -> "100";
            case "init" -> "true";
            case "volumes" -> "keys:/keys";
            default -> "net";
          };
      assertThat(KEYS.problems("pools.big.container." + key, value))
          .singleElement()
          .asString()
          .isEqualTo(
              KEY
                  + "pools.big.container."
                  + key
                  + " has no effect on pods; allowed: "
                  + (key.equals("volumes") ? KEY + "pools.big.pod.volumes" : "no value"));
    }
  }

  @Test
  void shouldCreateALauncherFromTheExample() {
    Properties example = new Properties();
    try {
      example.load(
          new StringReader(Files.readString(Path.of("../deploy/kubernetes/launcher.properties"))));
      Files.writeString(
          folder.resolve("kubeconfig"),
          """
          apiVersion: v1
          kind: Config
          current-context: a
          clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]
          contexts: [{name: a, context: {cluster: a}}]
          """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> all = new HashMap<>();
    example.stringPropertyNames().forEach(key -> all.put(key, example.getProperty(key)));
    all.put("baton.data", folder.toString());
    all.put(
        "baton.launchers.kubernetes.kubernetes.kubeconfig",
        folder.resolve("kubeconfig").toString());
    OrchestratorConfig config = TestConfigFactory.of(all);

    assertThat(OrchestratorConfigValidator.problems(config)).isEmpty();
    try (RunnerLauncher launcher =
        new RunnerLauncherFactory()
            .create(config, Objects.requireNonNull(config.launchers().get("kubernetes")))
            .orElseThrow()) {
      assertThat(launcher.type()).isEqualTo("kubernetes");
      assertThat(launcher.capabilities().outlivesOrchestrator()).isTrue();
      assertThat(launcher.capabilities().loadsHost()).isFalse();
      assertThat(launcher.logLocation("r")).startsWith(folder.toString());
    }
  }
}
