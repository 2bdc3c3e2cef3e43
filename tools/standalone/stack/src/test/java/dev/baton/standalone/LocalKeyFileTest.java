/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.identity.ApiKeyFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalKeyFileTest {
  @TempDir private Path data;

  @Test
  void shouldCreateAKeyForItsOwnerOnlyAndKeepIt() throws IOException {
    String key = LocalKeyFile.createIfMissing(data);

    assertThat(ApiKeyFormat.id(key)).isPresent();
    assertThat(LocalKeyFile.createIfMissing(data)).isEqualTo(key);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(LocalKeyFile.of(data))))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(data)) {
      assertThat(files).containsExactly(LocalKeyFile.of(data));
    }
  }

  @Test
  void shouldNameAFileWithoutAKey() throws IOException {
    Files.writeString(LocalKeyFile.of(data), "nothing\n");

    assertThatThrownBy(() -> LocalKeyFile.createIfMissing(data))
        .hasMessageContaining("local.key has no API key; delete it");
  }
}
