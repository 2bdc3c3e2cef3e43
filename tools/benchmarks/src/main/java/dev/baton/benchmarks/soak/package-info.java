/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** The benchmark of many steps on one stack: what grows with the work that was done. */
@NullMarked
package dev.baton.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
