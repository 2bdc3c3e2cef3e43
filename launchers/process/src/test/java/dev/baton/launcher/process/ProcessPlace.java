/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.process.ProcessSignal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Finds and signals the processes of a test by the kit's mark. */
final class ProcessPlace {
  private ProcessPlace() {}

  static ProcessRunnerLauncher launcher(Path folder, String... command) {
    return new ProcessRunnerLauncher(
        new ProcessLauncherSettings(
            List.of(command), folder.resolve("work"), folder.resolve("runners")));
  }

  static ProcessRunnerLauncher launcher(Path folder) {
    return launcher(folder, "/bin/sh", "-c", "eval \"$KIT_SCRIPT\"");
  }

  static List<ProcessIdentity> marked(String mark) {
    try {
      return MarkedProcessFinder.withVariable("KIT_MARK", mark);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void clear(String mark) {
    marked(mark).forEach(process -> process.handle().ifPresent(ProcessHandle::destroyForcibly));
  }

  static void freeze(String mark) {
    for (ProcessIdentity process : marked(mark)) {
      try {
        ProcessSignal.STOP.send(process.pid());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  /** The same pid with an earlier start. */
  static String predecessor(String handle) {
    ProcessReference live = ProcessReference.parse(handle).orElseThrow();
    return new ProcessReference(live.pid(), live.startedAtMs() - 60_000).text();
  }
}
