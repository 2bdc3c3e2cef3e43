/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.RunnerLabels;
import java.util.Map;

/** The names and labels by which the pods of an installation are found. */
final class PodLabels {
  static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  private static final RunnerLabels NAMES = new RunnerLabels("baton.dev/");

  static final String INSTALLATION = NAMES.installation();
  static final String RUNNER = NAMES.runner();
  static final String RUN = NAMES.run();
  static final String EPOCH = NAMES.epoch();
  static final String POOL = NAMES.pool();

  private PodLabels() {}

  static String name(String installation, String runner) {
    return RunnerLabels.name(installation, runner);
  }

  /** Returns the selector of all pods of a pool. */
  static String selector(String installation, String pool) {
    return INSTALLATION + "=" + installation + "," + POOL + "=" + pool;
  }

  static Map<String, String> of(String installation, LaunchSpec spec) {
    Map<String, String> labels = NAMES.of(installation, spec);
    labels.put(MANAGED_BY, "baton");
    return labels;
  }
}
