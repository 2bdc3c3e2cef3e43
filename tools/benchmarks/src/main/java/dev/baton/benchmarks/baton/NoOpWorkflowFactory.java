/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

/** Workflows of steps that hand on the run's input and nothing else. */
final class NoOpWorkflowFactory {
  private NoOpWorkflowFactory() {}

  /** The definition, as YAML, of a workflow of so many steps, named after their number. */
  static String yaml(int steps) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("name: no-op-").append(steps).append("\nrunner: shared\nsteps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", transform: .input}\n");
    }
    return yaml.toString();
  }
}
