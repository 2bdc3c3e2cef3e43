/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Locale;

/** What the programs of a sandbox reach, from the strictest. */
public enum SandboxNetwork {
  /** Only the programs of the same sandbox; of an agent also its model gateway. */
  NONE,
  /** What the step's hosts name, by HTTP and HTTPS through a proxy of the runner. */
  PROXY,
  /** Everything that the runner reaches. */
  HOST;

  /** Returns the network as definitions and settings spell it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether programs with this network reach more than with the other one. */
  public boolean isWiderThan(SandboxNetwork other) {
    return ordinal() > other.ordinal();
  }
}
