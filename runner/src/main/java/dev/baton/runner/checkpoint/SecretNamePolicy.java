/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import dev.baton.runner.process.StepEnvironmentBuilder;
import java.util.regex.Pattern;

/** Decides by names which values are not recorded in checkpoints. */
public final class SecretNamePolicy {
  /** Matches more names than are hidden from steps: a checkpoint does not need these values. */
  private static final Pattern SECRET =
      Pattern.compile(
          ".*(PASS|PRIVATE|COOKIE|JWT|BEARER|SIGNATURE).*|.*_(DSN|PAT|PWD|AUTH|KEYS?)",
          Pattern.CASE_INSENSITIVE);

  private SecretNamePolicy() {}

  /** Whether a variable of this name probably has a secret. */
  public static boolean looksSecret(String name) {
    return StepEnvironmentBuilder.looksSecret(name) || SECRET.matcher(name).matches();
  }
}
