/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Locates a milestone's commit after a rebase, squash or cherry-pick. */
@NullMarked
package dev.baton.milestone.history;

import org.jspecify.annotations.NullMarked;
