/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.TestConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttachTokenLoaderTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path folder;

  private static List<String> problems(Map<String, String> keys, String host) {
    return AttachTokenLoader.problems(TestConfigFactory.of(keys).attach(), host);
  }

  @Test
  void shouldNeedNoTokenOnLoopback() {
    for (String host : List.of("127.0.0.1", "127.1.2.3", "localhost", "::1")) {
      assertThat(problems(Map.of(), host)).as(host).isEmpty();
    }
  }

  @Test
  void shouldRefuseEveryOtherAddressWithoutATokenAndSayWhatToDo() {
    for (String host : List.of("0.0.0.0", "::", "10.0.0.1")) {
      assertThat(problems(Map.of(), host))
          .singleElement()
          .asString()
          .startsWith("quarkus.http.host=" + host)
          .contains("baton.attach.tokens-file", "127.0.0.1");
      assertThat(problems(Map.of("baton.attach.tokens", TOKEN), host)).as(host).isEmpty();
    }
  }

  @Test
  void shouldReadValuesAndLinesOfTheFile() throws IOException {
    Path file = Files.writeString(folder.resolve("tokens"), "# b\n" + TOKEN + "b\n\n");

    assertThat(
            AttachTokenLoader.load(
                TestConfigFactory.of(
                        Map.of(
                            "baton.attach.tokens",
                            TOKEN + "a," + TOKEN + "c",
                            "baton.attach.tokens-file",
                            file.toString()))
                    .attach()))
        .containsExactly(TOKEN + "a", TOKEN + "c", TOKEN + "b");
  }

  @Test
  void shouldNotRepeatATokenThatIsNotAllowed() throws IOException {
    Path file = Files.writeString(folder.resolve("tokens"), TOKEN + "\nshort\n");

    assertThat(problems(Map.of("baton.attach.tokens-file", file.toString()), "0.0.0.0"))
        .singleElement()
        .asString()
        .contains(file.toString(), "token 2", "16 to 512")
        .doesNotContain("short");
  }

  @Test
  void shouldNameAFileThatIsMissingOrEmpty() throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));

    assertThat(problems(Map.of("baton.attach.tokens-file", empty.toString()), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains(empty.toString(), "has no token");
    assertThat(problems(Map.of("baton.attach.tokens-file", folder + "/none"), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains(folder + "/none", "cannot be read");
  }
}
