/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A cut as gRPC and REST return it. */
record StoreCutView(
    String digest,
    String step,
    String branch,
    String format,
    int epoch,
    long position,
    long treeBytes,
    long storedBytes,
    long fileCount,
    Instant time,
    @Nullable String checkpoint) {}
