/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Runs git so that a repository's own settings do not change its output. */
@NullMarked
package dev.baton.milestone.git;

import org.jspecify.annotations.NullMarked;
