/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.process.MarkedProcessFinder;
import dev.baton.standalone.process.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the runner processes of a stack by their environment, so that no other process is ever hit.
 */
final class RunnerProcessFinder {
  private final Path data;

  RunnerProcessFinder(Path data) {
    this.data = data;
  }

  /** Returns the live runners, including shared ones, the oldest pid first. */
  List<ProcessId> living() throws IOException {
    List<ProcessId> runners = new ArrayList<>();
    for (ProcessId process :
        MarkedProcessFinder.withVariable(StandaloneStack.MARK, data.toString())) {
      String environment = environment(process.pid());
      if (environment.contains("\0BATON_RUNNER_ID=") && !environment.contains("\0BATON_STEP_ID=")) {
        runners.add(process);
      }
    }
    Set<Long> pids = runners.stream().map(ProcessId::pid).collect(Collectors.toSet());
    // A runner's child also has its environment until it has called exec.
    runners.removeIf(runner -> isChildOf(pids, runner));
    runners.sort(Comparator.comparingLong(ProcessId::pid));
    return runners;
  }

  private static boolean isChildOf(Set<Long> pids, ProcessId process) {
    return ProcessHandle.of(process.pid())
        .flatMap(ProcessHandle::parent)
        .filter(parent -> pids.contains(parent.pid()))
        .isPresent();
  }

  private static String environment(long pid) {
    try {
      Path file = Path.of("/proc", Long.toString(pid), "environ");
      return "\0" + Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      // It ended after it was listed, and is not a runner any more.
      return "";
    }
  }

  /**
   * Sends a signal with the shell's kill: Java sends only SIGTERM and SIGKILL.
   *
   * @param signal {@code STOP} or {@code CONT}
   * @return whether it was sent
   */
  static boolean signal(ProcessId process, String signal) throws IOException, InterruptedException {
    return process.isAlive()
        && new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0;
  }
}
