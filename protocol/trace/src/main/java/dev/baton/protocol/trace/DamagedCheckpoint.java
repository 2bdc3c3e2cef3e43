/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that is gone or damaged.
 *
 * @param branch whose files it has; empty for the main line
 * @param checkpoint its id; null for a cut of a foreign format, which has none
 * @param digest of its files
 * @param reason one line for a person
 */
public record DamagedCheckpoint(
    String branch, @Nullable String checkpoint, String digest, String reason) {}
