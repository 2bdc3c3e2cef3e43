/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

/** Creates workflows of shell steps that do nothing. */
final class ShellWorkflowFactory {
  private ShellWorkflowFactory() {}

  /**
   * Returns the definition, as YAML, of a workflow with this number of steps, whose files are not
   * captured; its name contains the number.
   *
   * @param shared whether all runs are on one runner
   */
  static String yaml(int steps, boolean shared) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("name: shells-").append(steps).append('\n');
    if (shared) {
      yaml.append("runner: {isolation: shared}\n");
    }
    yaml.append("steps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", shell: \"true\", workspace: none}\n");
    }
    return yaml.toString();
  }
}
