/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileSourceTest {
  @TempDir Path folder;

  @Test
  void shouldReadTheValueWithoutItsLineBreak() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), " a b\n");

    assertThat(SecretFileSource.values(Map.of("BATON_DB_PASSWORD_FILE", file.toString())))
        .containsExactly(Map.entry("baton.db.password", " a b"));
  }

  @Test
  void shouldNameVariableAndFileThatCannotBeRead() {
    Path missing = folder.resolve("missing");

    assertThatThrownBy(
            () ->
                SecretFileSource.values(
                    Map.of("BATON_OBJECT_STORE_SECRET_KEY_FILE", missing.toString())))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("BATON_OBJECT_STORE_SECRET_KEY_FILE=" + missing);
  }

  @Test
  void shouldIgnoreOtherVariables() {
    assertThat(SecretFileSource.values(Map.of("BATON_DB_HOST_FILE", "/etc/hosts"))).isEmpty();
  }
}
