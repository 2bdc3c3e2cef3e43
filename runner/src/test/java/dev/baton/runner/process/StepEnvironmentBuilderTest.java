/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepEnvironmentBuilderTest {
  private static final Map<String, String> RUNNER =
      Map.ofEntries(
          Map.entry("PATH", "/bin"),
          Map.entry("HOME", "/home"),
          Map.entry("LC_ALL", "C.UTF-8"),
          Map.entry("https_proxy", "http://proxy"),
          Map.entry("BATON_STACK", "here"),
          Map.entry("BATON_DB_PASSWORD", "x"),
          Map.entry("BATON_LEASE", "x"),
          Map.entry("KAFKA_BOOTSTRAP_SERVERS", "x"),
          Map.entry("MY_SECRET", "x"),
          Map.entry("GITHUB_TOKEN", "x"),
          Map.entry("DATABASE_URL", "x"),
          Map.entry("SENTRY_DSN", "x"),
          Map.entry("SSH_AUTH_SOCK", "x"),
          Map.entry("GH_PAT", "x"),
          Map.entry("KUBECONFIG", "x"),
          Map.entry("JAVA_TOOL_OPTIONS", "x"),
          Map.entry("GOPATH", "/go"));

  @Test
  void shouldPassOnAllowedVariablesOnly() {
    StepEnvironmentBuilder builder = new StepEnvironmentBuilder(RUNNER, List.of());

    Map<String, String> step =
        builder.build(Map.of("HOME", "/tmp", "DEPLOY_TOKEN", "named"), Map.of("BATON_EPOCH", "2"));

    assertThat(step)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "PATH", "/bin",
                "HOME", "/tmp",
                "LC_ALL", "C.UTF-8",
                "https_proxy", "http://proxy",
                "DEPLOY_TOKEN", "named",
                "BATON_STACK", "here",
                "BATON_EPOCH", "2"));
  }

  @Test
  void shouldPassOnConfiguredVariablesAndSecretsNamedInFull() {
    assertThat(new StepEnvironmentBuilder(RUNNER, List.of("GO*", "GITHUB_TOKEN")).inherited())
        .containsOnlyKeys(
            "PATH", "HOME", "LC_ALL", "https_proxy", "BATON_STACK", "GOPATH", "GITHUB_TOKEN");
    assertThat(new StepEnvironmentBuilder(RUNNER, List.of("*")).inherited())
        .containsKeys("GOPATH", "KUBECONFIG")
        .doesNotContainKeys("MY_SECRET", "GITHUB_TOKEN", "BATON_LEASE", "BATON_DB_PASSWORD");
    assertThat(new StepEnvironmentBuilder(RUNNER, List.of("BATON_LEASE", "KAFKA_*")).inherited())
        .doesNotContainKeys("BATON_LEASE", "KAFKA_BOOTSTRAP_SERVERS");
  }
}
