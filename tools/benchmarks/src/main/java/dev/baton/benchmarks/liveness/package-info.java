/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** How many live runs one orchestrator can watch, and how soon it misses those that fall silent. */
@NullMarked
package dev.baton.benchmarks.liveness;

import org.jspecify.annotations.NullMarked;
