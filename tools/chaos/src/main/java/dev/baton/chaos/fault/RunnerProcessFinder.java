/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
  List<ProcessIdentity> living() throws IOException {
    List<ProcessIdentity> runners = new ArrayList<>();
    for (ProcessIdentity process :
        MarkedProcessFinder.withVariable(StandaloneStack.MARK, data.toString())) {
      Map<String, String> environment = ProcfsProcessReader.environment(process.pid(), "BATON_");
      if (environment.containsKey("BATON_RUNNER_ID") && !environment.containsKey("BATON_STEP_ID")) {
        runners.add(process);
      }
    }
    Set<Long> pids = runners.stream().map(ProcessIdentity::pid).collect(Collectors.toSet());
    // A runner's child also has its environment until it has called exec.
    runners.removeIf(runner -> isChildOf(pids, runner));
    runners.sort(Comparator.comparingLong(ProcessIdentity::pid));
    return runners;
  }

  private static boolean isChildOf(Set<Long> pids, ProcessIdentity process) {
    return ProcessHandle.of(process.pid())
        .flatMap(ProcessHandle::parent)
        .filter(parent -> pids.contains(parent.pid()))
        .isPresent();
  }
}
