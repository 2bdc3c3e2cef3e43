/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Runs all fuzzing targets: on their corpus in each build, and with Jazzer on request. */
@NullMarked
package dev.baton.fuzz;

import org.jspecify.annotations.NullMarked;
