/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Copies a scanned tree, directory by directory, with several threads: the implementation of {@link
 * dev.baton.snapshot.TreeCopier}.
 */
@NullMarked
package dev.baton.snapshot.copy;

import org.jspecify.annotations.NullMarked;
