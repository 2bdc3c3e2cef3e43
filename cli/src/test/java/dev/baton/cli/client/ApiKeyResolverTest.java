/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.GlobalOptions;
import dev.baton.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeyResolverTest {
  private static final String LOCAL = "http://127.0.0.1:7070";

  @TempDir private Path data;

  @BeforeEach
  void aStack() throws IOException {
    Files.writeString(
        data.resolve("stack.json"), "{\"urls\": {\"orchestrator\": \"" + LOCAL + "\"}}");
    Files.writeString(data.resolve("local.key"), "# a key\nbk_local\n");
  }

  private Optional<String> resolve(String server, Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(Map.of("BATON_DATA", data.toString()));
    all.putAll(environment);
    try (CommandContext context = new CommandContext(Terminal.system(), all, new GlobalOptions())) {
      return ApiKeyResolver.resolve(context, ServerAddress.parse(server, "a test"));
    }
  }

  @Test
  void shouldFindTheKeyOfTheLocalStack() {
    assertThat(resolve(LOCAL, Map.of())).contains("bk_local");
    assertThat(resolve(LOCAL + "/", Map.of())).contains("bk_local");
  }

  @Test
  void shouldSendTheLocalKeyToNoOtherServer() {
    assertThat(resolve("http://127.0.0.1:7071", Map.of())).isEmpty();
    assertThat(resolve("http://evil.example:7070", Map.of())).isEmpty();
  }

  @Test
  void shouldPreferWhatIsNamed() throws IOException {
    Path file = Files.writeString(data.resolve("other.key"), "bk_file\n");

    assertThat(resolve(LOCAL, Map.of("BATON_API_KEY_FILE", file.toString()))).contains("bk_file");
    assertThat(
            resolve(
                LOCAL,
                Map.of("BATON_API_KEY_FILE", file.toString(), "BATON_API_KEY", "bk_variable")))
        .contains("bk_variable");
  }

  @Test
  void shouldReadTheKeyBeforeItsRoles() throws IOException {
    Path file =
        Files.writeString(data.resolve("roles.key"), "bk_file payments=operator *=viewer\n");

    assertThat(resolve(LOCAL, Map.of("BATON_API_KEY_FILE", file.toString()))).contains("bk_file");
  }

  @Test
  void shouldTakeATokenOfASingleSignOn() throws IOException {
    String token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln-_bmF0dXJl" + "A".repeat(4_000);
    Path file = Files.writeString(data.resolve("token"), token + "\n");

    assertThat(resolve(LOCAL, Map.of("BATON_API_KEY_FILE", file.toString()))).contains(token);
    assertThat(resolve(LOCAL, Map.of("BATON_API_KEY", token))).contains(token);
  }

  @Test
  void shouldNameAFileWithoutAKeyAndNotRepeatAWrongKey() throws IOException {
    Path empty = Files.writeString(data.resolve("empty.key"), "# nothing\n");

    assertThatThrownBy(() -> resolve(LOCAL, Map.of("BATON_API_KEY_FILE", empty.toString())))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("empty.key has no key");
    assertThatThrownBy(() -> resolve(LOCAL, Map.of("BATON_API_KEY_FILE", "/nothing/here")))
        .hasMessageContaining("/nothing/here cannot be read");
    assertThatThrownBy(() -> resolve(LOCAL, Map.of("BATON_API_KEY", "bk_se cret")))
        .hasMessageContaining("$BATON_API_KEY is not an API key")
        .message()
        .doesNotContain("cret");
  }
}
