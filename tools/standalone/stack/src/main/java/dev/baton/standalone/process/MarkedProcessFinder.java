/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds orphaned processes: by a variable in their environment, which children inherit, or by their
 * working folder.
 *
 * <p>Reads {@code /proc}; finds none on systems without it.
 */
public final class MarkedProcessFinder {

  private static final Path PROC = Path.of("/proc");

  private MarkedProcessFinder() {}

  /** Returns all live processes, except this one, with this value of the environment variable. */
  public static List<ProcessId> withVariable(String name, String value) throws IOException {
    String entry = "\0" + name + "=" + value + "\0";
    return find(
        folder ->
            ("\0" + Files.readString(folder.resolve("environ"), StandardCharsets.ISO_8859_1))
                .contains(
                    new String(
                        entry.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)));
  }

  /**
   * Returns all live processes, except this one, of a program with that file name and working
   * folder.
   */
  public static List<ProcessId> workingIn(String program, Path directory) throws IOException {
    return find(
        folder ->
            Files.readSymbolicLink(folder.resolve("cwd")).equals(directory)
                && Files.readSymbolicLink(folder.resolve("exe")).endsWith(program));
  }

  /** Signals all to stop, and kills those that have not within {@code grace}. */
  public static void stop(List<ProcessId> processes, Duration grace)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + grace.toNanos();
    for (ProcessId process : processes) {
      if (process.isAlive()) {
        StopSignal.TERM.send(process.pid());
      }
    }
    for (ProcessId process : processes) {
      Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      if (!process.awaitEnd(left)) {
        process.handle().ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    for (ProcessId process : processes) {
      if (!process.awaitEnd(Duration.ofSeconds(10))) {
        throw new IOException("process " + process.pid() + " survived SIGKILL");
      }
    }
  }

  private interface Test {
    boolean matches(Path folder) throws IOException;
  }

  private static List<ProcessId> find(Test test) throws IOException {
    List<ProcessId> found = new ArrayList<>();
    if (!Files.isDirectory(PROC)) {
      return found;
    }
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROC, "[1-9]*")) {
      for (Path folder : folders) {
        long pid = Long.parseLong(folder.getFileName().toString());
        if (pid != self && matches(test, folder)) {
          ProcessId.of(pid).ifPresent(found::add);
        }
      }
    }
    return found;
  }

  private static boolean matches(Test test, Path folder) {
    try {
      return test.matches(folder);
    } catch (IOException e) {
      // The process has ended, or belongs to another user: it is not ours in both cases.
      return false;
    }
  }
}
