/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** How soon a run resumes after what carries it has died, hung or been lost. */
@NullMarked
package dev.baton.benchmarks.failover;

import org.jspecify.annotations.NullMarked;
