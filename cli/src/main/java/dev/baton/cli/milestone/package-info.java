/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** What a repository says of the milestones of runs, without any service. */
@NullMarked
package dev.baton.cli.milestone;

import org.jspecify.annotations.NullMarked;
