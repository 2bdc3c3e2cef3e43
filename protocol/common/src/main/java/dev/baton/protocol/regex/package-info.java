/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Regular expressions from outside: each search has a time after which it ends. */
@NullMarked
package dev.baton.protocol.regex;

import org.jspecify.annotations.NullMarked;
