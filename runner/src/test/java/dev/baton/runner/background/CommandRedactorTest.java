/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandRedactorTest {
  private static final String CANARY = "canary-5f2c-7781";

  private static List<String> redact(String... words) {
    return new CommandRedactor(List.of(Map.of("DB_PASSWORD", "hunter-2-hunter", "PORT", "8080800")))
        .redact(List.of(words));
  }

  @Test
  void shouldHideSecrets() {
    List<List<String>> commands =
        List.of(
            List.of("serve", "--token", CANARY),
            List.of("serve", "--api-key=" + CANARY),
            List.of("serve", "-Ddb.password=" + CANARY),
            List.of("env", "GITHUB_TOKEN=" + CANARY, "serve"),
            List.of("sh", "-c", "STRIPE_KEY=" + CANARY + " serve --secret " + CANARY + " --port 1"),
            List.of("psql", "postgres://me:" + CANARY + "@host/db"),
            List.of("curl", "-u", "me:" + CANARY, "http://host"),
            List.of("curl", "-H", "Authorization: Bearer " + CANARY),
            List.of("curl", "-H", "x-api-key:" + CANARY));

    assertThat(commands)
        .allSatisfy(
            command ->
                assertThat(String.join(" ", redact(command.toArray(String[]::new))))
                    .doesNotContain(CANARY)
                    .contains("***"));
    assertThat(redact("serve", "hunter-2-hunter!")).containsExactly("serve", "***!");
    assertThat(redact("serve", "sk-abcdefghijklmnop")).containsExactly("serve", "***");
  }

  @Test
  void shouldKeepOtherCommandsAsTheyAre() {
    List<List<String>> commands =
        List.of(
            List.of("npm", "run", "dev", "--", "--port", "8080800"),
            List.of("python3", "-m", "http.server", "--bind", "127.0.0.1"),
            List.of("sh", "-c", "while true; do date >> tick; sleep 1; done"),
            List.of("node", "server.js", "NODE_ENV=production", "http://localhost:3000/a"),
            List.of("java", "-jar", "tokenizer.jar", "--monkey", "x=y"));

    assertThat(commands)
        .allSatisfy(
            command -> assertThat(redact(command.toArray(String[]::new))).isEqualTo(command));
  }
}
