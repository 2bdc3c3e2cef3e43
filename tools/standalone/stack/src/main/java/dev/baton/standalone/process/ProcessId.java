/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identifies one process permanently: a pid alone may belong to another process soon after the
 * process has ended.
 *
 * @param pid the operating system's number
 * @param started its start time, in a form that can only be compared
 */
public record ProcessId(long pid, String started) {

  private static final Path PROC = Path.of("/proc");
  private static final int STATE = 0;
  // Field 22 of /proc/PID/stat, counted from the field after the command's closing bracket.
  private static final int START_TIME = 19;

  /** Returns the identity of a live process; empty when it has ended. */
  public static Optional<ProcessId> of(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(handle -> Optional.ofNullable(started(handle)))
        .map(started -> new ProcessId(pid, started));
  }

  /** Whether exactly this process is alive; false for a zombie. */
  public boolean isAlive() {
    return handle().isPresent();
  }

  /** Returns a handle while exactly this process is alive. */
  public Optional<ProcessHandle> handle() {
    return ProcessHandle.of(pid).filter(handle -> started.equals(started(handle)));
  }

  /**
   * Signals the process to stop, kills it if it does not stop within {@code grace}, and waits until
   * it is gone.
   *
   * @return whether it is gone; false only when even SIGKILL did not end it within ten seconds
   * @throws IOException when it may not be signalled
   */
  public boolean stop(StopSignal signal, Duration grace) throws IOException, InterruptedException {
    if (!isAlive()) {
      return true;
    }
    signal.send(pid);
    if (awaitEnd(grace)) {
      return true;
    }
    handle().ifPresent(ProcessHandle::destroyForcibly);
    return awaitEnd(Duration.ofSeconds(10));
  }

  /** Waits until the process is gone; false when it is not within {@code bound}. */
  public boolean awaitEnd(Duration bound) throws InterruptedException {
    // Polled: the system reports the end of a process only to its parent, which may be another
    // process.
    long end = System.nanoTime() + bound.toNanos();
    while (isAlive()) {
      if (System.nanoTime() > end) {
        return false;
      }
      Thread.sleep(20);
    }
    return true;
  }

  private static @Nullable String started(ProcessHandle handle) {
    if (!Files.exists(PROC.resolve("self/stat"))) {
      return handle.isAlive()
          ? handle.info().startInstant().map(Object::toString).orElse("")
          : null;
    }
    try {
      String stat = Files.readString(PROC.resolve(handle.pid() + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      if (fields[STATE].equals("Z") || fields[STATE].equals("X")) {
        return null;
      }
      // Ticks since boot, combined with the boot's id: wall-clock start times change when the clock
      // is set.
      return Boot.ID + "/" + fields[START_TIME];
    } catch (IOException e) {
      // The file disappears with the process, possibly in the middle of the read.
      return null;
    }
  }

  private static final class Boot {
    static final String ID = read();

    private static String read() {
      try {
        return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).substring(0, 8);
      } catch (NoSuchFileException e) {
        return "";
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
