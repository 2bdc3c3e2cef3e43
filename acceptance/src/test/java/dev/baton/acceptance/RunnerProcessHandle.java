/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The process that executes a run, found by its environment: so it is found as soon as it is
 * started, before it reports an event.
 *
 * @param files the run's folder on this host
 */
record RunnerProcessHandle(ProcessHandle process, int epoch, Path files) {
  private static final Path PROC = Path.of("/proc");
  private static final Duration GONE = Duration.ofSeconds(20);

  /** Returns the process of the newest epoch. */
  static Optional<RunnerProcessHandle> of(String run) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().command().orElse("").endsWith("java"))
        .flatMap(process -> carrying(run, process).stream())
        .max(Comparator.comparingInt(RunnerProcessHandle::epoch));
  }

  private static Optional<RunnerProcessHandle> carrying(String run, ProcessHandle process) {
    Map<String, String> environment = environment(process.pid());
    boolean its =
        run.equals(environment.get("BATON_RUN_ID")) && !environment.containsKey("BATON_STEP_ID");
    if (!its) {
      return Optional.empty();
    }
    int epoch = Integer.parseInt(environment.getOrDefault("BATON_EPOCH", "0"));
    Path data = Path.of(Objects.requireNonNull(environment.get("BATON_DATA")));
    return Optional.of(new RunnerProcessHandle(process, epoch, data.resolve("runs").resolve(run)));
  }

  static Map<String, String> environment(long pid) {
    try {
      Path file = PROC.resolve(Long.toString(pid)).resolve("environ");
      String all = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
      return Arrays.stream(all.split("\0", -1))
          .map(pair -> pair.split("=", 2))
          .filter(pair -> pair.length == 2)
          .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, _) -> first));
    } catch (IOException gone) {
      // The process has ended since it was listed, or has another owner: not a runner of this test.
      return Map.of();
    }
  }

  /**
   * @param whole whether to kill its child processes too, as when a container dies; if false, they
   *     continue to write until another component ends them
   * @return whether it was alive and is dead now
   */
  boolean kill(boolean whole) {
    List<ProcessHandle> started = whole ? process.descendants().toList() : List.of();
    boolean killed = process.destroyForcibly();
    started.forEach(ProcessHandle::destroyForcibly);
    Await.until("runner " + process.pid() + " is gone", GONE, () -> !process.isAlive());
    return killed;
  }

  /** Returns the entries next to the workspace, such as partial restores. */
  Set<String> besideWorkspace() throws IOException {
    if (!Files.isDirectory(files)) {
      return Set.of();
    }
    try (Stream<Path> names = Files.list(files)) {
      return names
          .map(name -> name.getFileName().toString())
          .filter(name -> !name.equals("workspace"))
          .collect(Collectors.toSet());
    }
  }
}
