/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.violations.lease;

import dev.baton.acceptance.violations.server.IsAServerPart;

/** Breaks the rule that only the services use libs/service. */
public abstract class UsesAServerPart {
  public abstract IsAServerPart part();
}
