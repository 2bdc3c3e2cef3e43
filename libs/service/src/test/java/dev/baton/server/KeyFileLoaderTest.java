/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.identity.ProjectRoles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileLoaderTest {
  private static final String ADMINS = "baton.identity.admin-keys-file";
  private static final String VIEWERS = "baton.identity.viewer-keys-file";

  @TempDir private Path folder;

  private static List<String> problems(Map<String, String> settings, String host) {
    return KeyFileLoader.problems(settings(settings), host);
  }

  private static KeyFileLoader.Settings settings(Map<String, String> settings) {
    return new KeyFileLoader.Settings(
        !"false".equals(settings.get("baton.identity.required")),
        Optional.ofNullable(settings.get(ADMINS)).map(Path::of),
        Optional.ofNullable(settings.get(VIEWERS)).map(Path::of));
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7"})
  void shouldRefuseOtherHostsWithoutIdentity(String host) {
    assertThat(problems(Map.of("baton.identity.required", "false"), host))
        .singleElement()
        .asString()
        .contains("baton.identity.required=false", "127.0.0.1");
    assertThat(problems(Map.of(), host)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
  void shouldAllowLoopbackWithoutIdentity(String host) {
    assertThat(problems(Map.of("baton.identity.required", "false"), host)).isEmpty();
  }

  @Test
  void shouldNameTheFileAndTheLineAndNotTheKey() throws IOException {
    String wrong = file("wrong", "# keys\n" + ApiKeyFormat.create() + "\nsecret-but-no-key\n");

    assertThat(problems(Map.of(ADMINS, wrong), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains(ADMINS + "=" + wrong, "key 2", ApiKeyFormat.ALLOWED)
        .doesNotContain("secret-but-no-key");
    assertThat(problems(Map.of(VIEWERS, file("empty", "\n# none\n")), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains(VIEWERS, "has no key");
    assertThat(problems(Map.of(ADMINS, "/nothing/here"), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains("/nothing/here cannot be read");
  }

  @Test
  void shouldLoadTheKeysOfBothFiles() throws IOException {
    String admin = ApiKeyFormat.create();
    String viewer = ApiKeyFormat.create();

    assertThat(
            KeyFileLoader.load(
                settings(Map.of(ADMINS, file("admins", admin), VIEWERS, file("viewers", viewer)))))
        .containsExactly(
            new KeyFileLoader.FileKey(admin, ProjectRoles.everywhere(AccessRole.ADMIN)),
            new KeyFileLoader.FileKey(viewer, ProjectRoles.everywhere(AccessRole.VIEWER)));
  }

  @Test
  void shouldLoadRolesOfProjects() throws IOException {
    String key = ApiKeyFormat.create();

    assertThat(
            KeyFileLoader.load(
                settings(Map.of(ADMINS, file("admins", key + "  payments=operator *=viewer")))))
        .containsExactly(
            new KeyFileLoader.FileKey(
                key, ProjectRoles.parse(List.of("payments=operator", "*=viewer"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"payments=operator", "payments", "payments=viewer *=viewer", "*=admin"})
  void shouldRefuseRolesBeyondThoseOfTheFile(String roles) throws IOException {
    String key = ApiKeyFormat.create();

    assertThat(problems(Map.of(VIEWERS, file("viewers", key + " " + roles)), "127.0.0.1"))
        .singleElement()
        .asString()
        .contains(VIEWERS, "key 1", "allowed")
        .doesNotContain(key);
  }
}
