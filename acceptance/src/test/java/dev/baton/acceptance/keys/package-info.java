/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Checks that every documented key, setting and option has an effect, and that every effective one
 * is documented.
 */
@NullMarked
package dev.baton.acceptance.keys;

import org.jspecify.annotations.NullMarked;
