/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.protocol.workflow.SecretReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretResolverTest {
  @TempDir Path folder;

  private SecretResolver resolver(String sources, Map<String, String> environment) {
    return new SecretResolver(
        SecretSourcePolicy.parse(sources), environment, Duration.ofSeconds(20), Optional.empty());
  }

  private SecretUnavailableException failure(SecretResolver resolver, SecretReference reference) {
    SecretUnavailableException failure =
        catchThrowableOfType(
            SecretUnavailableException.class, () -> resolver.resolve("npm", reference));
    assertThat(failure).isNotNull();
    return failure;
  }

  @Test
  void shouldReadOnlyVariablesMadeForWorkflowsByDefault() {
    SecretResolver resolver =
        resolver(
            SecretSourcePolicy.DEFAULT,
            Map.of("BATON_SECRET_NPM", "hunter2", "BATON_LEASE", "lease-token"));

    assertThat(resolver.resolve("npm", new SecretReference.Env("BATON_SECRET_NPM")))
        .isEqualTo("hunter2");
    SecretUnavailableException denied = failure(resolver, new SecretReference.Env("BATON_LEASE"));
    assertThat(denied)
        .hasMessage(
            "secret 'npm' (env:BATON_LEASE): this runner does not permit the source; add env:BATON_LEASE to baton.secrets.sources (BATON_SECRETS_SOURCES) of the runner");
    assertThat(denied.isTemporary()).isFalse();
    assertThat(failure(resolver, new SecretReference.Env("BATON_SECRET_X")))
        .hasMessageContaining("this runner has no such variable");
    assertThat(failure(resolver, new SecretReference.File("/etc/passwd")))
        .hasMessageContaining("does not permit");
    assertThat(failure(resolver, new SecretReference.Command(List.of("/bin/cat", "/etc/passwd"))))
        .hasMessageContaining("add command:/bin/cat to");
  }

  @Test
  void shouldReadAFileAgainForEachUse() throws Exception {
    Path file = Files.writeString(folder.resolve("npm"), "first-value\n");
    SecretResolver resolver = resolver("file:" + folder + "/**", Map.of());
    SecretReference reference = new SecretReference.File(file.toString());
    assertThat(resolver.resolve("npm", reference)).isEqualTo("first-value");

    Files.writeString(file, "second-value");

    assertThat(resolver.resolve("npm", reference)).isEqualTo("second-value");
  }

  @Test
  void shouldFollowLinksOnlyWithinThePermittedFolder() throws Exception {
    Path permitted = Files.createDirectory(folder.resolve("permitted"));
    Path outside = Files.writeString(folder.resolve("outside"), "not-for-steps");
    Files.createDirectory(permitted.resolve("..data"));
    Files.writeString(permitted.resolve("..data").resolve("npm"), "mounted-value");
    Files.createSymbolicLink(permitted.resolve("npm"), Path.of("..data/npm"));
    Files.createSymbolicLink(permitted.resolve("out"), outside);
    Path link = Files.createSymbolicLink(folder.resolve("link"), permitted);
    SecretResolver resolver = resolver("file:" + permitted + "/**,file:" + link + "/**", Map.of());

    assertThat(resolver.resolve("a", new SecretReference.File(permitted + "/npm")))
        .isEqualTo("mounted-value");
    assertThat(resolver.resolve("a", new SecretReference.File(link + "/npm")))
        .isEqualTo("mounted-value");
    assertThat(failure(resolver, new SecretReference.File(permitted + "/out")))
        .hasMessageContaining("a link to another place")
        .hasMessageNotContaining("not-for-steps");
    assertThat(failure(resolver, new SecretReference.File(permitted + "/missing")))
        .hasMessageContaining("the file does not exist");
  }

  @Test
  void shouldRejectValuesThatCannotBeMaskedOrPassedOn() throws Exception {
    SecretResolver resolver = resolver("file:" + folder + "/**", Map.of());
    Path file = folder.resolve("npm");
    SecretReference reference = new SecretReference.File(file.toString());

    Files.writeString(file, "short\n");
    assertThat(failure(resolver, reference)).hasMessageContaining("fewer than 6 characters");
    Files.writeString(file, "x".repeat(SecretResolver.MAX_BYTES + 1));
    assertThat(failure(resolver, reference)).hasMessageContaining("more than 65536 bytes");
    Files.write(file, new byte[] {(byte) 0xff, 1, 2, 3, 4, 5, 6});
    assertThat(failure(resolver, reference)).hasMessageContaining("not text in UTF-8");
    Files.writeString(file, "abc\0defgh");
    assertThat(failure(resolver, reference)).hasMessageContaining("NUL");
    assertThat(failure(resolver, new SecretReference.File(folder.toString())))
        .hasMessageContaining("it is not a regular file");
  }

  @Test
  void shouldTakeTheOutputOfAPermittedCommand() {
    SecretResolver resolver =
        resolver("command:/bin/sh", Map.of("PATH", "/usr/bin:/bin", "VAULT", "v-"));

    assertThat(
            resolver.resolve(
                "npm", new SecretReference.Command(List.of("/bin/sh", "-c", "echo ${VAULT}value"))))
        .isEqualTo("v-value");
    SecretUnavailableException failed =
        failure(
            resolver,
            new SecretReference.Command(List.of("/bin/sh", "-c", "echo hidden-value; exit 3")));
    assertThat(failed).hasMessage("secret 'npm' (command:/bin/sh): it ended with exit code 3");
    assertThat(failed.isTemporary()).isTrue();
    assertThat(
            failure(
                resolver, new SecretReference.Command(List.of("/bin/sh", "-c", "cat /dev/zero"))))
        .hasMessageContaining("more than 65536 bytes");
  }

  @Test
  void shouldEndACommandThatTakesTooLong() {
    SecretResolver resolver =
        new SecretResolver(
            SecretSourcePolicy.parse("command:/bin/sh"),
            Map.of("PATH", "/usr/bin:/bin"),
            Duration.ofMillis(300),
            Optional.empty());
    SecretReference slow =
        new SecretReference.Command(List.of("/bin/sh", "-c", "sleep 60; echo long-value"));

    assertThat(failure(resolver, slow)).hasMessageContaining("did not end within 300 ms");
    assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
        .noneMatch(child -> child.info().commandLine().orElse("").contains("long-value"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "env:",
        "env:A-B",
        "file:relative",
        "file:/",
        "file:/a/../b",
        "/a",
        "env:A,,",
        "vault:",
        "vault:secret",
        "vault:secret/**x",
        "vault:secret/../sys/**",
        "vault:**"
      })
  void shouldRejectInvalidSources(String setting) {
    assertThatThrownBy(() -> SecretSourcePolicy.parse(setting))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldPermitNothingWithNone() {
    assertThat(
            failure(
                resolver("none", Map.of("BATON_SECRET_A", "abcdefg")),
                new SecretReference.Env("BATON_SECRET_A")))
        .hasMessageContaining("does not permit");
  }
}
