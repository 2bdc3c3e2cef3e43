/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.steps.MeasuredStepKind;

/** Creates workflows of steps that only pass on the run's input. */
final class NoOpWorkflowFactory {
  private NoOpWorkflowFactory() {}

  /**
   * Returns the definition, as YAML, of a workflow with this number of steps; its name contains
   * their kind and number.
   */
  static String yaml(MeasuredStepKind kind, int steps) {
    String work =
        switch (kind) {
          case TRANSFORM -> "transform: .input";
          case WAIT -> "wait: " + kind.waitMillis() + "ms";
        };
    StringBuilder yaml = new StringBuilder();
    yaml.append("name: ")
        .append(kind.label())
        .append('-')
        .append(steps)
        .append("\nrunner: shared\nsteps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", ").append(work).append("}\n");
    }
    return yaml.toString();
  }
}
