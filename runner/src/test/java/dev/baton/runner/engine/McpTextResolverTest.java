/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.secrets.SecretCheckpointPolicy;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.secrets.SecretSourcePolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class McpTextResolverTest {
  @TempDir Path folder;

  private final SecretMasker masker = new SecretMasker();

  private McpTextResolver resolver(String sources) {
    SecretResolver secrets =
        new SecretResolver(
            SecretSourcePolicy.parse(sources),
            Map.of("BATON_SECRET_TICKETS", "Bearer t0ken", "BATON_LEASE", "lease-token"));
    return new McpTextResolver(
        "tickets",
        "/work",
        "/state",
        new RunSecretProvider("r1", Map.of(), secrets, masker, SecretCheckpointPolicy.STRIP));
  }

  @Test
  void shouldResolvePermittedReferencesAndMaskTheirValues() throws Exception {
    Path key = Files.writeString(folder.resolve("key"), "from-a-file\n");
    McpTextResolver resolver = resolver("env:BATON_SECRET_*,file:" + folder + "/**");

    Map<String, String> resolved =
        resolver.resolved(
            Map.of(
                "Authorization", "env:BATON_SECRET_TICKETS",
                "Key", "file:" + key,
                "Ledger", "{workspace}/ledger",
                "Plain", "environment: test"));

    assertThat(resolved)
        .containsEntry("Authorization", "Bearer t0ken")
        .containsEntry("Key", "from-a-file")
        .containsEntry("Ledger", "/work/ledger")
        .containsEntry("Plain", "environment: test");
    assertThat(masker.mask("sent Bearer t0ken and from-a-file")).isEqualTo("sent *** and ***");
  }

  @Test
  void shouldRefuseVariablesAndFilesThatAreNotForWorkflows() throws Exception {
    McpTextResolver resolver = resolver("env:BATON_SECRET_*,file:" + folder + "/**");

    for (String reference : new String[] {"env:BATON_LEASE", "file:/etc/passwd"}) {
      assertThatThrownBy(() -> resolver.resolved(Map.of("Authorization", reference)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("mcp server 'tickets'")
          .hasMessageContaining("add " + reference + " to baton.secrets.sources");
    }
    String out = "file:" + folder + "/../" + folder.getFileName() + "/../../etc/passwd";
    assertThatThrownBy(() -> resolver.resolved(Map.of("Authorization", out)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not permit");
  }
}
