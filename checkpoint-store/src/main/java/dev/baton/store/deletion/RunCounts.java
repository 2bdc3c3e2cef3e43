/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.deletion;

/**
 * Counts the stored parts of a run.
 *
 * @param manifests objects; a pin counts with its manifest
 * @param blobs objects that only this run uses
 * @param bytes of objects that were deleted
 * @param archived refs in the git archive
 */
public record RunCounts(
    long events,
    long cuts,
    long checkpoints,
    long manifests,
    long blobs,
    long packs,
    long bytes,
    long origins,
    long archived) {}
