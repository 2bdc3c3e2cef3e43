/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Runs regular expressions from untrusted sources with a time limit for each search. */
@NullMarked
package dev.baton.protocol.regex;

import org.jspecify.annotations.NullMarked;
