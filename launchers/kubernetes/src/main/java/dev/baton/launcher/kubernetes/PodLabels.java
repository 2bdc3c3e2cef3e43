/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchSpec;
import java.util.HashMap;
import java.util.Map;

/** The names and labels by which the pods of an installation are found. */
final class PodLabels {
  static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  static final String INSTALLATION = "baton.dev/installation";
  static final String RUNNER = "baton.dev/runner";
  static final String RUN = "baton.dev/run";
  static final String EPOCH = "baton.dev/epoch";
  static final String POOL = "baton.dev/pool";

  private PodLabels() {}

  /** Returns the name of the runner's pod; a namespace accepts a name only once at a time. */
  static String name(String installation, String runner) {
    return "baton-" + installation + "-" + runner;
  }

  static Map<String, String> of(String installation, LaunchSpec spec) {
    Map<String, String> labels = new HashMap<>();
    labels.put(MANAGED_BY, "baton");
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
