/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.ProcessIdentity;
import dev.baton.process.ProcessSignal;
import dev.baton.standalone.state.DataLock;
import dev.baton.standalone.state.StackFile;
import dev.baton.standalone.state.StackState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stops a stack through its supervisor or, if that is dead, process by process. */
final class StackStopper {

  // Longer than a training run needs to write all its caches.
  private static final Duration SUPERVISOR_WITHIN = Duration.ofMinutes(5);
  private static final Duration LOCK_WITHIN = Duration.ofSeconds(15);

  private StackStopper() {}

  static int run(StackArguments arguments, Consumer<String> progress)
      throws IOException, InterruptedException {
    if (!Files.isDirectory(arguments.data())) {
      progress.accept("nothing to stop: missing folder " + arguments.data());
      return 0;
    }
    Path data = arguments.data().toRealPath();
    Optional<DataLock> free = DataLock.take(data);
    if (free.isPresent()) {
      try (DataLock lock = free.get()) {
        boolean stopped = stopLeftovers(data, progress);
        progress.accept(stopped ? "stack stopped" : "no stack is running on " + data);
      }
      return 0;
    }
    stopSupervisor(data);
    try (DataLock lock = awaitLock(data)) {
      stopLeftovers(data, progress);
    }
    progress.accept("stack stopped");
    return 0;
  }

  private static void stopSupervisor(Path data) throws IOException, InterruptedException {
    long end = System.nanoTime() + LOCK_WITHIN.toNanos();
    while (System.nanoTime() < end) {
      // Read again each time: a process that has just taken the lock writes its id a moment later.
      // Not read from stack.json, which may be corrupt or deleted.
      Optional<ProcessIdentity> supervisor = DataLock.lastHolder(data);
      if (supervisor.isPresent() && supervisor.get().isAlive()) {
        supervisor.get().stop(ProcessSignal.TERM, SUPERVISOR_WITHIN);
        return;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new StackException(
        "another process holds "
            + data.resolve("stack.lock")
            + ", but the file does not identify the process");
  }

  private static DataLock awaitLock(Path data) throws IOException, InterruptedException {
    long end = System.nanoTime() + LOCK_WITHIN.toNanos();
    while (System.nanoTime() < end) {
      Optional<DataLock> lock = DataLock.take(data);
      if (lock.isPresent()) {
        return lock.get();
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new StackException("a new stack was started on " + data + " meanwhile");
  }

  private static boolean stopLeftovers(Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    StackFile file = new StackFile(data);
    StackState state = readable(file);
    int stopped = state == null ? 0 : OrphanStackProcessReaper.stop(state, progress);
    OrphanStackProcessReaper.stopMarked(data, List.of(), progress);
    if (state != null) {
      file.write(
          new StackState(
              state.version(),
              state.data(),
              false,
              false,
              null,
              state.urls(),
              state.ports(),
              state.s3(),
              state.postgres(),
              Map.of()));
    }
    return stopped > 0;
  }

  private static @Nullable StackState readable(StackFile file) throws IOException {
    try {
      return file.read().orElse(null);
    } catch (StackFile.Unreadable e) {
      // The marker in the environment of the processes is sufficient; the next start reports the
      // file.
      return null;
    }
  }
}
