/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Authenticates callers of REST and gRPC by API keys and tokens, decides what they may do, and ends
 * their streams when their right ends.
 */
@NullMarked
package dev.baton.orchestrator.identity;

import org.jspecify.annotations.NullMarked;
