/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.violations.chaos;

import dev.baton.acceptance.violations.protocol.UsesAService;

/** Breaks the rule that the checker does not use the code that it verifies. */
public abstract class UsesTheFold {
  public abstract UsesAService protocol();
}
