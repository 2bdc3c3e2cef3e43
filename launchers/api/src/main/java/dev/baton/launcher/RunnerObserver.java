/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

/** Receives what a launcher observes. Called on the launcher's threads, concurrently. */
public interface RunnerObserver {
  /** A runner has entered another phase before its end. May be skipped or repeated. */
  default void changed(LaunchedRunner runner) {}

  /**
   * A runner has ended. Delivered again, with backoff, while this method throws an exception; and
   * again after the launcher was replaced, if the new one adopts the runner. May block.
   */
  void ended(RunnerExit exit);
}
