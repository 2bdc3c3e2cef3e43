/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.runner.steps.StepExecutors;

/** Loads and runs what every run needs, against nothing. */
final class Training {
  private Training() {}

  static void run(StepExecutors executors) {
    // Filled in below.
  }
}
