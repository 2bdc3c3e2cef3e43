/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** What it costs to fork a run, by how long it is and how large its files are. */
@NullMarked
package dev.baton.benchmarks.fork;

import org.jspecify.annotations.NullMarked;
