/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

/** Terminates processes of this host. Thread-safe. */
@FunctionalInterface
interface ProcessTerminator {
  /** Sends SIGKILL. */
  ProcessTerminator SIGKILL =
      pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);

  /**
   * Sends the signal and returns at once. The process may stay alive: in an uninterruptible system
   * call, or when this process has no right to signal it.
   */
  void terminate(long pid);
}
