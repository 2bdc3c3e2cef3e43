/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Milestones: commits in a run's repository that passed their verification. What they say of the
 * run is read from the repository alone.
 */
@NullMarked
package dev.baton.milestone;

import org.jspecify.annotations.NullMarked;
