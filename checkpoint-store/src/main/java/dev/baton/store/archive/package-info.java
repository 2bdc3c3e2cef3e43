/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Runs as refs of a git repository: what a run was when it ended or began to wait, one commit each
 * time. Nothing of the run waits for it, and a store that knows nothing fills itself from it.
 */
@NullMarked
package dev.baton.store.archive;

import org.jspecify.annotations.NullMarked;
