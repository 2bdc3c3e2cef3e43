/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchmarkMainTest {
  @Test
  void shouldKeepCachesWhereTheShellHasItsHome() {
    assertThat(BenchmarkMain.cache(Map.of("HOME", "/h"))).isEqualTo(Path.of("/h/.cache/baton"));
    assertThat(BenchmarkMain.cache(Map.of("HOME", "/h", "XDG_CACHE_HOME", "/x")))
        .isEqualTo(Path.of("/x/baton"));
    assertThat(BenchmarkMain.cache(Map.of("HOME", "/h", "BATON_CACHE", "/b")))
        .isEqualTo(Path.of("/b"));
    assertThat(BenchmarkMain.cache(Map.of()))
        .isEqualTo(Path.of(System.getProperty("user.home"), ".cache/baton"));
  }
}
