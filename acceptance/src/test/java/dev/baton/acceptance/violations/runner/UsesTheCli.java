/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.violations.runner;

import dev.baton.acceptance.violations.cli.UsesTheOrchestrator;

/** Breaks the rule that the runner does not depend on other parts. */
public abstract class UsesTheCli {
  public abstract UsesTheOrchestrator cli();
}
