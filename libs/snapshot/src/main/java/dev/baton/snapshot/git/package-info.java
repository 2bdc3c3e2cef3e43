/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Reads which paths a git repository tracks, without the git program: locates its directory and
 * reads its index.
 */
@NullMarked
package dev.baton.snapshot.git;

import org.jspecify.annotations.NullMarked;
