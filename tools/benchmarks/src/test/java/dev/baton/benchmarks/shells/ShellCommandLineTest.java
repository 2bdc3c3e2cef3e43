/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.benchmarks.measure.TimedCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShellCommandLineTest {
  @TempDir Path folder;

  @Test
  void shouldStartOneProcessForEachLine() throws Exception {
    String output =
        run(ShellCommandLine.xargs(List.of("/bin/sh", "-c", "echo $0 $$"), 20, 4)).strip();

    assertThat(output.lines().map(line -> Integer.parseInt(line.split(" ", -1)[0])))
        .hasSize(20)
        .contains(1, 20)
        .doesNotHaveDuplicates();
    assertThat(output.lines().map(line -> line.split(" ", -1)[1])).doesNotHaveDuplicates();
  }

  @Test
  void shouldStartTheScriptAsARunnerDoes() throws Exception {
    assertThat(run(ShellCommandLine.xargs(ShellCommandLine.asRunner(folder), 3, 2))).isEmpty();
    assertThat(ShellCommandLine.asRunner(folder)).endsWith("/bin/sh", "-e", "-c", "true");
    assertThat(ShellCommandLine.plain()).containsExactly("/bin/sh", "-e", "-c", "true");
  }

  private String run(List<String> command) throws Exception {
    return new TimedCommand(command, Map.of(), folder, folder.resolve("log")).output();
  }
}
