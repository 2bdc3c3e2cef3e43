/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Puts a snapshot's tree back: into a private fresh directory beside the target, verified, then
 * renamed in. A walk of the nodes plans ahead what the next files need; blocks are fetched and
 * unpacked by some threads while others write files, all in bounded memory.
 */
@NullMarked
package dev.baton.snapshot.restore;

import org.jspecify.annotations.NullMarked;
