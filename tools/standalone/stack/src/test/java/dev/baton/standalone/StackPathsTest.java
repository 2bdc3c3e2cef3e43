/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StackPathsTest {
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
