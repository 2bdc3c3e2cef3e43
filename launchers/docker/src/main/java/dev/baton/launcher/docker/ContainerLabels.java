/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchSpec;
import java.util.HashMap;
import java.util.Map;

/** The name and labels by which the containers of an installation are found. */
final class ContainerLabels {
  static final String INSTALLATION = "dev.baton.installation";
  static final String RUNNER = "dev.baton.runner";
  static final String RUN = "dev.baton.run";
  static final String EPOCH = "dev.baton.epoch";
  static final String POOL = "dev.baton.pool";

  private ContainerLabels() {}

  /** Returns the name of the runner's container; Docker accepts a name only once. */
  static String name(String installation, String runner) {
    return "baton-" + installation + "-" + runner;
  }

  static Map<String, String> of(String installation, LaunchSpec spec) {
    Map<String, String> labels = new HashMap<>();
    labels.put(INSTALLATION, installation);
    labels.put(RUNNER, spec.runner());
    labels.put(POOL, spec.pool());
    if (spec.run() != null) {
      labels.put(RUN, spec.run());
      labels.put(EPOCH, Integer.toString(spec.epoch()));
    }
    return labels;
  }
}
