/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Restores the tree of a snapshot: writes it to a private new directory next to the target,
 * verifies it, and renames it to the target. A walk of the nodes plans ahead which blocks the next
 * files need; some threads fetch and decompress blocks while others write files, all in bounded
 * memory.
 */
@NullMarked
package dev.baton.snapshot.restore;

import org.jspecify.annotations.NullMarked;
