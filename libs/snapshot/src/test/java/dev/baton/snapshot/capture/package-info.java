/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Trees captured from real directories, restored, and compared by programs that know nothing of
 * either.
 */
@NullMarked
package dev.baton.snapshot.capture;

import org.jspecify.annotations.NullMarked;
