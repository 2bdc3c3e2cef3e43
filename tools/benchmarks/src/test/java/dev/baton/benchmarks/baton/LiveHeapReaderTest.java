/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.Reference;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveHeapReaderTest {
  @Test
  void shouldReadTheTotalOfAHistogram() throws Exception {
    String histogram =
        """
         num     #instances         #bytes  class name (module)
        -------------------------------------------------------
           1:         10000        2000000  [B (java.base@25)
        Total         20000        3000000
        """;

    assertThat(LiveHeapReader.total(histogram)).isEqualTo(3_000_000);
    assertThatThrownBy(() -> LiveHeapReader.total("1: no attach"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no attach");
  }

  @Test
  void shouldCountLiveObjectsOfJavaProcessesOnly() throws Exception {
    long self = ProcessHandle.current().pid();
    Process shell = new ProcessBuilder("sleep", "60").start();
    byte[] kept = new byte[64 << 20];
    try {
      assertThat(LiveHeapReader.bytes(Map.of(self, "this", shell.pid(), "sleep")))
          .containsOnlyKeys("this")
          .hasEntrySatisfying("this", bytes -> assertThat(bytes).isGreaterThan(kept.length));
    } finally {
      shell.destroyForcibly();
      Reference.reachabilityFence(kept);
    }
  }
}
