/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StackPathsTest {
  @TempDir Path folder;

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void shouldKeepOthersOutOfTheFoldersOfAStack() throws IOException {
    Path cache = Files.createDirectory(folder.resolve("cache"));
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
    String before = System.setProperty("baton.cache", cache.toString());
    try {
      StackPaths paths = StackPaths.prepare(folder.resolve("data"));
      Path component = Files.createDirectory(paths.data().resolve("orchestrator"));
      Files.setPosixFilePermissions(component, PosixFilePermissions.fromString("rwxr-xr-x"));

      assertThat(permissions(paths.data())).isEqualTo("rwx------");
      assertThat(permissions(paths.of("orchestrator"))).isEqualTo("rwx------");
      assertThat(permissions(paths.of("kafka"))).isEqualTo("rwx------");
      assertThat(permissions(paths.cache())).isEqualTo("rwxr-xr-x");
    } finally {
      if (before == null) {
        System.clearProperty("baton.cache");
      } else {
        System.setProperty("baton.cache", before);
      }
    }
  }

  @Test
  void shouldKeepCachesWhereAShellWould() {
    assertThat(StackPaths.cacheHome(Map.of("XDG_CACHE_HOME", "/x", "HOME", "/h")))
        .isEqualTo(Path.of("/x"));
    assertThat(StackPaths.cacheHome(Map.of("XDG_CACHE_HOME", "", "HOME", "/h")))
        .isEqualTo(Path.of("/h/.cache"));
    assertThat(StackPaths.cacheHome(Map.of()))
        .isEqualTo(Path.of(System.getProperty("user.home"), ".cache"));
  }
}
