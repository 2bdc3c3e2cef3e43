/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/** Decides which requests from browsers a service accepts; the tokens with which runners attach. */
@NullMarked
package dev.baton.protocol.net;

import org.jspecify.annotations.NullMarked;
