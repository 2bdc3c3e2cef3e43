/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.violations.protocol;

import dev.baton.acceptance.violations.milestone.IsAMilestone;

/** Breaks the rule that only the runner and the CLI use milestones. */
public abstract class UsesAMilestone {
  public abstract IsAMilestone milestone();
}
