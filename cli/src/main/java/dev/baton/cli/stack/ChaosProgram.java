/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The program that injects faults and decides about histories: a JVM of its own. */
public final class ChaosProgram {
  private static final String MAIN = "dev.baton.chaos.ChaosMain";
  private static final Duration END_BOUND = Duration.ofMinutes(2);

  private ChaosProgram() {}

  /**
   * Runs it with this process's output; a signal that ends this process ends it, and its stack.
   *
   * @return its exit code
   */
  public static int run(List<String> arguments) throws IOException, InterruptedException {
    Path home = Path.of(System.getProperty("baton.home", ""));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "-Dbaton.home=" + home,
            "-cp",
            StackProgram.classpath(home.resolve("chaos/target"), "the chaos program"),
            MAIN));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    return new Foreground(builder, END_BOUND).run();
  }
}
