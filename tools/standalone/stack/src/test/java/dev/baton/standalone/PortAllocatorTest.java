/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortAllocatorTest {
  /** Claims all ports of a range, prints the number of those that it got, and waits. */
  static final class ClaimingMain {
    private ClaimingMain() {}

    public static void main(String[] arguments) throws IOException {
      PortClaimRegistry registry = new PortClaimRegistry(Path.of(arguments[0]));
      int got = 0;
      for (int port = Integer.parseInt(arguments[1]);
          port < Integer.parseInt(arguments[2]);
          port++) {
        got += registry.claim(port) ? 1 : 0;
      }
      System.out.println(got);
      System.in.read();
    }
  }

  @Test
  void shouldNotChooseAPortTwiceInOneProcess() throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      ports.add(new PortAllocator().choose());
    }

    assertThat(ports).doesNotHaveDuplicates();
  }

  @Test
  void shouldKeepAPreferredPortThatItsStackHasClaimed() throws Exception {
    int port = new PortAllocator().choose();

    PortAllocator again = new PortAllocator();

    assertThat(again.choose(port)).isEqualTo(port);
    assertThat(again.choose(port)).as("for another component").isNotEqualTo(port);
  }

  @Test
  void shouldRefuseTheClaimsOfAnotherProcessUntilItEnds(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ports");
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ClaimingMain.class.getName(),
                file.toString(),
                "20000",
                "20010")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    PortClaimRegistry registry;
    try (BufferedReader output = other.inputReader()) {
      assertThat(output.readLine()).isEqualTo("10");
      registry = new PortClaimRegistry(file);

      assertThat(registry.claim(19_999)).isTrue();
      assertThat(registry.claim(20_000)).isFalse();
      assertThat(registry.claim(20_009)).isFalse();
      assertThat(registry.claim(20_010)).isTrue();
    } finally {
      other.destroyForcibly();
    }
    assertThat(other.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(registry.claim(20_000)).isTrue();
    assertThat(registry.claim(20_000)).as("twice").isFalse();
  }
}
