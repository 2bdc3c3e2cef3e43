/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

/** Creates workflows of steps that only pass on the run's input. */
final class NoOpWorkflowFactory {
  private NoOpWorkflowFactory() {}

  /**
   * Returns the definition, as YAML, of a workflow with this number of steps; its name contains the
   * number.
   */
  static String yaml(int steps) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("name: no-op-").append(steps).append("\nrunner: shared\nsteps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", transform: .input}\n");
    }
    return yaml.toString();
  }
}
