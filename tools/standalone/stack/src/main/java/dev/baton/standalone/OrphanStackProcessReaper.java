/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.process.ProcessSignal;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import dev.baton.standalone.state.StackFile;
import dev.baton.standalone.state.StackState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Stops processes of a stack whose supervisor is dead. Only the holder of the data folder's lock
 * may do this.
 */
final class OrphanStackProcessReaper {

  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final Duration RUNNER_GRACE = Duration.ofSeconds(15);

  private OrphanStackProcessReaper() {}

  /**
   * Stops the servers and services of a killed supervisor, and returns the state of its stack.
   * Leaves its runners alone: they wait until the stack is available again.
   */
  static StackState clear(Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    StackFile file = new StackFile(data);
    StackState none = StackState.empty(data.toString());
    try {
      Optional<StackState> last = file.read();
      if (last.isPresent()) {
        stop(last.get(), progress);
      } else {
        // The file was deleted by someone else: the marker in the environment of the processes is
        // sufficient.
        stopMarked(data, List.of(), progress);
      }
      return last.orElse(none);
    } catch (StackFile.Unreadable e) {
      progress.accept(e.getMessage() + "; renamed to " + file.putAside());
      // The processes cannot be distinguished any more: all that have the marker are stopped.
      stopMarked(data, List.of(), progress);
      return none;
    }
  }

  /** Deletes temporary files, unless one of its runners lives and may use them. */
  static void clearTemp(StackPaths folders) throws IOException {
    if (MarkedProcessFinder.withVariable(StandaloneStack.MARK, folders.data().toString())
        .isEmpty()) {
      DirectoryTreeDeleter.delete(folders.temp());
    }
  }

  /**
   * Stops the processes listed in {@code stack.json} that still are the same, services first;
   * reports each.
   */
  static int stop(StackState state, Consumer<String> progress)
      throws IOException, InterruptedException {
    int stopped = 0;
    List<StackComponent> reverse = new ArrayList<>(List.of(StackComponent.values())).reversed();
    for (StackComponent component : reverse) {
      StackState.RunningProcess running = state.components().get(component.label());
      if (running != null && running.id().isAlive()) {
        progress.accept(
            "stopping " + component.label() + " (pid " + running.pid() + "), left over");
        ProcessSignal signal =
            component == StackComponent.POSTGRES ? ProcessSignal.INT : ProcessSignal.TERM;
        if (!running.id().stop(signal, GRACE)) {
          throw new StackException(
              component.label() + " (pid " + running.pid() + ") survived SIGKILL");
        }
        stopped++;
      }
    }
    return stopped;
  }

  /**
   * Stops runners and their steps: every process that has this data folder's marker and is not in
   * {@code known}.
   */
  static void stopMarked(Path data, List<ProcessIdentity> known, Consumer<String> progress)
      throws IOException, InterruptedException {
    List<ProcessIdentity> marked =
        MarkedProcessFinder.withVariable(StandaloneStack.MARK, data.toString()).stream()
            .filter(id -> !known.contains(id))
            .toList();
    if (!marked.isEmpty()) {
      progress.accept("stopping " + marked.size() + " leftover processes");
      MarkedProcessFinder.stop(marked, RUNNER_GRACE);
    }
  }
}
