/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StepEnvironmentBuilderTest {
  @Test
  void shouldPassOnNeitherSettingsNorSecrets() {
    Map<String, String> runner =
        Map.of(
            "PATH", "/bin",
            "BATON_DB_PASSWORD", "x",
            "BATON_LEASE", "x",
            "KAFKA_BOOTSTRAP_SERVERS", "x",
            "MY_SECRET", "x",
            "GITHUB_TOKEN", "x",
            "BATON_STACK", "here",
            "HOME", "/home");

    Map<String, String> step =
        StepEnvironmentBuilder.of(
            runner, Map.of("HOME", "/tmp", "DEPLOY_TOKEN", "named"), Map.of("BATON_EPOCH", "2"));

    assertThat(step)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "PATH", "/bin",
                "HOME", "/tmp",
                "DEPLOY_TOKEN", "named",
                "BATON_STACK", "here",
                "BATON_EPOCH", "2"));
  }
}
