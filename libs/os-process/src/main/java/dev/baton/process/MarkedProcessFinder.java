/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds orphaned processes: by a variable in their environment, which children inherit, or by their
 * working folder.
 *
 * <p>Reads {@code /proc}; finds none on systems without it.
 */
public final class MarkedProcessFinder {

  private MarkedProcessFinder() {}

  /** Returns all live processes, except this one, with this value of the environment variable. */
  public static List<ProcessIdentity> withVariable(String name, String value) throws IOException {
    return withVariables(Set.of(name + "=" + value));
  }

  /**
   * Returns all live processes, except this one, whose environment has all these variables.
   *
   * @param marks {@code NAME=value} pairs
   */
  public static List<ProcessIdentity> withVariables(Set<String> marks) throws IOException {
    return find(pid -> ProcfsProcessReader.hasVariables(pid, marks));
  }

  /**
   * Returns all live processes, except this one, of a program with that file name and working
   * folder.
   */
  public static List<ProcessIdentity> workingIn(String program, Path directory) throws IOException {
    return find(
        pid ->
            directory.equals(ProcfsProcessReader.directory(pid))
                && isProgram(ProcfsProcessReader.program(pid), program));
  }

  private static boolean isProgram(@Nullable Path file, String name) {
    return file != null && file.endsWith(name);
  }

  /** Signals all to stop, and kills those that have not within {@code grace}. */
  public static void stop(List<ProcessIdentity> processes, Duration grace)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + grace.toNanos();
    for (ProcessIdentity process : processes) {
      if (process.isAlive()) {
        ProcessSignal.TERM.send(process.pid());
      }
    }
    for (ProcessIdentity process : processes) {
      Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      if (!process.awaitEnd(left)) {
        process.handle().ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    for (ProcessIdentity process : processes) {
      if (!process.awaitEnd(Duration.ofSeconds(10))) {
        throw new IOException("process " + process.pid() + " survived SIGKILL");
      }
    }
  }

  private static List<ProcessIdentity> find(LongPredicate test) throws IOException {
    long self = ProcessHandle.current().pid();
    List<ProcessIdentity> found = new ArrayList<>();
    List<ProcessEntry> all = ProcfsProcessReader.all();
    if (all.isEmpty() && ProcfsProcessReader.isSupported()) {
      throw new IOException("cannot list the processes in /proc");
    }
    for (ProcessEntry entry : all) {
      if (entry.pid() != self && !entry.isDead() && test.test(entry.pid())) {
        ProcessIdentity.of(entry.pid()).ifPresent(found::add);
      }
    }
    return found;
  }
}
