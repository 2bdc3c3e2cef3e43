/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.baton.runner.steps.HttpAddressPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Requirements of tests that create real sandboxes. */
public final class SandboxRequirement {
  private SandboxRequirement() {}

  /**
   * Aborts the test where this machine cannot create sandboxes; fails it in continuous integration,
   * where {@code CI} is set.
   */
  public static void check() throws SandboxException {
    Path here = Path.of("/tmp");
    try {
      new SandboxFactory(
              SandboxSettings.NONE,
              Path.of("/nonexistent"),
              System.getenv(),
              HttpAddressPolicy.DEFAULT::check)
          .of(Optional.of(dev.baton.protocol.workflow.SandboxRule.DEFAULT))
          .orElseThrow()
          .command(List.of("true"), here, here);
    } catch (SandboxException e) {
      if (System.getenv("CI") != null) {
        throw e;
      }
      abort("needs bubblewrap and user namespaces: " + e.getMessage());
    }
  }

  /** Returns settings with which workflows may show these paths. */
  public static SandboxSettings permitting(String... paths) {
    Map<String, String> keys = Map.of(SandboxSettings.PATHS, String.join(",", paths));
    return SandboxSettings.read(key -> Optional.ofNullable(keys.get(key)));
  }
}
