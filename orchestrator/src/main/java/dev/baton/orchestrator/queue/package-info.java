/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Admission of runs under a workflow's concurrency limit, and the queue of waiting runs. */
@NullMarked
package dev.baton.orchestrator.queue;

import org.jspecify.annotations.NullMarked;
