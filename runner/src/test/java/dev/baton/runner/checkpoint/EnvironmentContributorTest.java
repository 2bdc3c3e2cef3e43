/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.manifest.CheckpointTrigger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentContributorTest {
  private static Map<String, String> kept(Map<String, String> variables, String... allowed) {
    ManifestDraft draft = new ManifestDraft(CheckpointTrigger.MANUAL, Path.of("workspace"));
    new EnvironmentContributor(variables, List.of(allowed)).contribute(draft);
    return draft.environment();
  }

  @Test
  void shouldKeepWhatIsAllowed() {
    Map<String, String> variables =
        Map.of("PATH", "/bin", "LC_ALL", "C", "LC_TIME", "de", "LCD", "x", "OTHER", "y");

    assertThat(kept(variables, "PATH", "LC_*"))
        .isEqualTo(Map.of("PATH", "/bin", "LC_ALL", "C", "LC_TIME", "de"));
    assertThat(kept(variables)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "npm_token",
        "DB_PASSWORD",
        "PGPASSFILE",
        "OPENAI_API_KEY",
        "SSH_KEY",
        "GH_PAT",
        "SESSION_COOKIE",
        "SENTRY_DSN",
        "BASIC_AUTH",
        "MY_CREDENTIALS"
      })
  void shouldNeverKeepWhatLooksSecretThoughAllowed(String name) {
    assertThat(kept(Map.of(name, "value", "PATH", "/bin"), "*", name)).containsOnlyKeys("PATH");
  }

  @Test
  void shouldKeepAddressesWithoutTheirPasswords() {
    Map<String, String> variables = new HashMap<>();
    variables.put("HTTP_PROXY", "http://me:hidden@proxy:3128/x");
    variables.put("DATABASE_URL", "postgres://:hidden@db/x?host=a:b@c");
    variables.put("PLAIN", "http://proxy:3128/a@b");

    assertThat(kept(variables, "*"))
        .isEqualTo(
            Map.of(
                "HTTP_PROXY", "http://me:***@proxy:3128/x",
                "DATABASE_URL", "postgres://:***@db/x?host=a:b@c",
                "PLAIN", "http://proxy:3128/a@b"));
  }
}
