/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Archives runs as refs of a git repository, with one commit each time a run ends or begins to
 * wait. The run never waits for the archive. A store whose Postgres is empty imports the archived
 * runs.
 */
@NullMarked
package dev.baton.store.archive;

import org.jspecify.annotations.NullMarked;
