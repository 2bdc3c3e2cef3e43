/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.process.DetachedCommandFactory;
import dev.baton.standalone.process.LogFile;
import dev.baton.standalone.state.DataLock;
import dev.baton.standalone.state.StackFile;
import dev.baton.standalone.state.StackState;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Starts a supervisor that outlives this process, and prints its output until the stack is ready.
 */
final class SupervisorLauncher {

  private static final Duration READY_WITHIN = Duration.ofMinutes(5);
  // A starting supervisor first moves a corrupt stack.json aside.
  private static final Duration READABLE_WITHIN = Duration.ofSeconds(15);

  private SupervisorLauncher() {}

  static int run(StackArguments arguments) throws IOException, InterruptedException {
    StackPaths folders = StackPaths.prepare(arguments.data());
    Optional<DataLock> lock = DataLock.take(folders.data());
    if (lock.isEmpty()) {
      return alreadyRunning(folders.data(), arguments.port());
    }
    Path log = folders.logs().resolve("supervisor.log");
    long from;
    // Released at once: the supervisor takes it. If another supervisor is faster, this one reports
    // that.
    try (DataLock _ = lock.get()) {
      from = new LogFile(log).begin();
    }
    Process supervisor =
        new ProcessBuilder(DetachedCommandFactory.command(command(arguments)))
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return follow(supervisor, log, from);
  }

  /**
   * Waits until the stack of another start is ready.
   *
   * @param port the requested port of the orchestrator; 0 for any
   */
  private static int alreadyRunning(Path data, int port) throws IOException, InterruptedException {
    StackFile file = new StackFile(data);
    long began = System.nanoTime();
    boolean told = false;
    while (System.nanoTime() - began < READY_WITHIN.toNanos()) {
      StackState state = read(file, data, began);
      ProcessIdentity supervisor = state.supervisor();
      if (supervisor != null && supervisor.isAlive()) {
        int taken = state.ports().getOrDefault("orchestrator", port);
        if (port > 0 && port != taken) {
          System.out.printf(
              "Baton is up already on port %d, not %d: `baton down` first%n", taken, port);
          return StackMain.ON_ANOTHER_PORT;
        }
        if (state.ready()) {
          System.out.printf(
              "already running: %s (pid %d, %s)%n",
              state.urls().get("orchestrator"), supervisor.pid(), data);
          return 0;
        }
      }
      if (!told) {
        System.out.println("another start of this stack came first; waiting until it is ready");
        told = true;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    System.err.println("another supervisor holds " + data + " but its stack is not ready");
    return 1;
  }

  private static StackState read(StackFile file, Path data, long began) throws IOException {
    StackState none = StackState.empty(data.toString());
    try {
      return file.read().orElse(none);
    } catch (StackFile.Unreadable e) {
      if (System.nanoTime() - began > READABLE_WITHIN.toNanos()) {
        throw e;
      }
      return none;
    }
  }

  private static List<String> command(StackArguments arguments) {
    List<String> command = new ArrayList<>();
    command.add(JvmCommand.java().toString());
    command.addAll(List.of("-Xmx48m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String property : List.of("baton.home", "baton.cache")) {
      Optional.ofNullable(System.getProperty(property))
          .ifPresent(value -> command.add("-D" + property + "=" + value));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(StackMain.class.getName());
    command.addAll(arguments.supervisor());
    return command;
  }

  private static int follow(Process supervisor, Path log, long from)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + READY_WITHIN.toNanos();
    StringBuilder pending = new StringBuilder();
    try (RandomAccessFile in = new RandomAccessFile(log.toFile(), "r")) {
      in.seek(from);
      while (System.nanoTime() < end) {
        // Checked before the last read, so that output written before its end is still printed.
        boolean ended = supervisor.waitFor(50, TimeUnit.MILLISECONDS);
        if (show(in, pending)) {
          return 0;
        }
        if (ended) {
          return 1;
        }
      }
    }
    System.err.println("the stack is not ready after " + READY_WITHIN.toMinutes() + " minutes");
    return 1;
  }

  /** Prints the complete new lines; returns true once one reports that the stack is ready. */
  private static boolean show(RandomAccessFile in, StringBuilder pending) throws IOException {
    byte[] bytes = new byte[(int) Math.min(1 << 20, in.length() - in.getFilePointer())];
    in.readFully(bytes);
    pending.append(new String(bytes, StandardCharsets.UTF_8));
    boolean ready = false;
    for (int newline = pending.indexOf("\n"); newline >= 0; newline = pending.indexOf("\n")) {
      String line = pending.substring(0, newline);
      pending.delete(0, newline + 1);
      System.out.println(line);
      ready |= line.startsWith(StackSupervisor.READY);
    }
    return ready;
  }
}
