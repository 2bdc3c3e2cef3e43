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
   * @param retries whether the first attempt of each step fails
   */
  static String yaml(int steps, boolean shared, boolean retries) {
    String work =
        retries
            ? "shell: 'test \"$BATON_ATTEMPT\" = 2', retry: {max: 1, backoff: 1ms}"
            : "shell: \"true\"";
    StringBuilder yaml = new StringBuilder();
    yaml.append("name: shells-").append(steps).append('\n');
    if (shared) {
      yaml.append("runner: {isolation: shared}\n");
    }
    yaml.append("steps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", ").append(work).append(", workspace: none}\n");
    }
    return yaml.toString();
  }
}
