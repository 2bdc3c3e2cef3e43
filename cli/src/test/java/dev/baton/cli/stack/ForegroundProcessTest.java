/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses a shell in place of the supervisor, and a separate JVM around it. */
class ForegroundProcessTest {
  private static final String SCRIPT =
      "trap 'sleep 0.3; echo stopped; exit 0' TERM; echo $$; while :; do sleep 0.05; done";

  /** The process under test. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      System.exit(
          new ForegroundProcess(new ProcessBuilder("sh", "-c", args[0]), Duration.ofSeconds(10))
              .run());
    }
  }

  @TempDir Path folder;

  @Test
  void shouldEndTheProgramFirstWhenItIsToldToEnd() throws Exception {
    Process command = command(SCRIPT);
    try (BufferedReader out = command.inputReader(StandardCharsets.UTF_8)) {
      long pid = Long.parseLong(out.readLine());
      ProcessHandle program = ProcessHandle.of(pid).orElseThrow();

      // Not the streams of the process itself: that would also close its output.
      command.toHandle().destroy();

      assertThat(out.readLine()).isEqualTo("stopped");
      assertThat(command.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(command.exitValue()).isEqualTo(143);
      assertThat(program.isAlive()).isFalse();
    }
  }

  @Test
  void shouldEndAsTheProgramEnds() throws Exception {
    Process command = command("exit 7");
    assertThat(command.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(command.exitValue()).isEqualTo(7);
  }

  private Process command(String script) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            script)
        .directory(folder.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
