/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the program that injects faults and checks histories, in a JVM of its own. */
public final class ChaosProgram {
  private static final String MAIN = "dev.baton.chaos.ChaosMain";
  private static final Duration END_BOUND = Duration.ofMinutes(2);
  private static final long PROBE_SECONDS = 10;

  // Starts a network namespace, in which packets can be dropped; its loopback device is initially
  // down.
  private static final List<String> OWN_NETWORK =
      List.of("unshare", "--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh");

  private ChaosProgram() {}

  /**
   * Runs it with this process's output. A signal that ends this process also ends the program and
   * its stack.
   *
   * @return its exit code
   */
  public static int run(List<String> arguments) throws IOException, InterruptedException {
    Path home = Path.of(System.getProperty("baton.home", ""));
    List<String> command = new ArrayList<>(ownNetwork());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "-Dbaton.home=" + home,
            "-cp",
            StackProgram.classpath(home.resolve("tools/chaos/target"), "the chaos program"),
            MAIN));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    // The program does not change the network of this process.
    builder
        .environment()
        .put(
            "BATON_OUTER_NETWORK", Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    return new ForegroundProcess(builder, END_BOUND).run();
  }

  /**
   * Returns the command prefix that creates a network namespace; empty if the user or the host is
   * not allowed to.
   */
  private static List<String> ownNetwork() throws InterruptedException {
    List<String> probe = new ArrayList<>(OWN_NETWORK);
    probe.add("true");
    try {
      Process process =
          new ProcessBuilder(probe)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return List.of();
      }
      return process.exitValue() == 0 ? OWN_NETWORK : List.of();
    } catch (IOException missing) {
      return List
          .of(); // The program is missing on this host: the faults that need it report that they
      // are skipped.
    }
  }
}
