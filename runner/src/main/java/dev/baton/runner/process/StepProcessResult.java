/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

/** How a step's command ended; none of its processes is alive. */
public sealed interface StepProcessResult {
  /**
   * @param exitCode 128+n if signal n ended it
   * @param stdout up to the limit
   * @param stdoutOver whether there was more
   * @param leftovers number of background processes that were killed after it
   */
  record Exited(int exitCode, byte[] stdout, boolean stdoutOver, int leftovers)
      implements StepProcessResult {}

  /** It exceeded its timeout and was stopped. */
  record TimedOut() implements StepProcessResult {}
}
