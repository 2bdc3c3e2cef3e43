/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.RunnerLabels;
import java.util.Map;

/** The name and labels by which the containers of an installation are found. */
final class ContainerLabels {
  private static final RunnerLabels NAMES = new RunnerLabels("dev.baton.");

  static final String INSTALLATION = NAMES.installation();
  static final String RUNNER = NAMES.runner();
  static final String RUN = NAMES.run();
  static final String EPOCH = NAMES.epoch();
  static final String POOL = NAMES.pool();

  private ContainerLabels() {}

  static String name(String installation, String runner) {
    return RunnerLabels.name(installation, runner);
  }

  static Map<String, String> of(String installation, LaunchSpec spec) {
    return NAMES.of(installation, spec);
  }
}
