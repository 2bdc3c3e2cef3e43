/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import java.util.Set;

/** The paths of health probes, which need no credential. */
public final class ProbePaths {
  public static final Set<String> ALL =
      Set.of("/q/health", "/q/health/live", "/q/health/ready", "/q/health/started");

  private ProbePaths() {}
}
