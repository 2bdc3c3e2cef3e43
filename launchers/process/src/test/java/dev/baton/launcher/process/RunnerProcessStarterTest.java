/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchSpec;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerProcessStarterTest {
  @Test
  void shouldPassNoCredentialOfAServiceToARunner(@TempDir Path folder) {
    List<String> secrets =
        List.of(
            "BATON_ATTACH_TOKENS",
            "BATON_DB_PASSWORD",
            "BATON_IDENTITY_ADMIN_KEYS_FILE",
            "BATON_LAUNCHERS__GPU__TYPE",
            "BATON_NOTIFICATIONS_WEBHOOK_SECRET",
            "BATON_OBJECT_STORE_SECRET_KEY",
            "BATON_OPERATOR_KUBECONFIG",
            "QUARKUS_DATASOURCE_PASSWORD");
    Map<String, String> environment = new HashMap<>(Map.of("PATH", "/bin", "BATON_RUN_ID", "own"));
    secrets.forEach(name -> environment.put(name, "canary"));

    new RunnerProcessStarter(
            new ProcessLauncherSettings(List.of("runner"), folder, folder.resolve("logs")))
        .environment(
            environment, new LaunchSpec("r-1", "r", 2, "default", Map.of("BATON_LEASE", "l")));

    assertThat(environment)
        .doesNotContainValue("canary")
        .contains(
            Map.entry("PATH", "/bin"),
            Map.entry("BATON_RUN_ID", "r"),
            Map.entry("BATON_EPOCH", "2"),
            Map.entry("BATON_LEASE", "l"));
  }
}
