/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

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
 * @param pid the operating system's number; 0 for none, which is never alive
 * @param started its start time, in a form that can only be compared
 */
public record ProcessIdentity(long pid, String started) {

  /** Returns the identity of a live process; empty when it has ended. */
  public static Optional<ProcessIdentity> of(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(handle -> Optional.ofNullable(started(handle)))
        .map(started -> new ProcessIdentity(pid, started));
  }

  /** Whether exactly this process is alive; false for a zombie. */
  public boolean isAlive() {
    return handle().isPresent();
  }

  /** Returns a handle while exactly this process is alive. */
  public Optional<ProcessHandle> handle() {
    return pid <= 0
        ? Optional.empty()
        : ProcessHandle.of(pid).filter(handle -> started.equals(started(handle)));
  }

  /**
   * Signals the process to stop, kills it if it does not stop within {@code grace}, and waits until
   * it is gone.
   *
   * @return whether it is gone; false only when even SIGKILL did not end it within ten seconds
   * @throws IOException when it may not be signalled
   */
  public boolean stop(ProcessSignal signal, Duration grace)
      throws IOException, InterruptedException {
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
    if (!ProcfsProcessReader.isSupported()) {
      return handle.isAlive()
          ? handle.info().startInstant().map(Object::toString).orElse("")
          : null;
    }
    // Ticks since boot, combined with the boot's id: wall-clock start times change when the clock
    // is set.
    return ProcfsProcessReader.entry(handle.pid())
        .filter(entry -> !entry.isDead())
        .map(entry -> Boot.ID + "/" + entry.startTicks())
        .orElse(null);
  }

  private static final class Boot {
    static final String ID = read();

    private static String read() {
      try {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).substring(0, 8);
      } catch (NoSuchFileException e) {
        return "";
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
