/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** The runner's leases on its runs, and the suspension of a run whose lease is not confirmed. */
@NullMarked
package dev.baton.runner.lease;

import org.jspecify.annotations.NullMarked;
