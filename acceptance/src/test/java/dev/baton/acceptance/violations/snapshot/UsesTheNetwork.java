/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.violations.snapshot;

import java.net.Socket;

/** Breaks the rule that snapshots do not use the network. */
public abstract class UsesTheNetwork {
  public abstract Socket socket();
}
