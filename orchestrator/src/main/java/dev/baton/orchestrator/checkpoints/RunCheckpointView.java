/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.StoredCheckpoint;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A point of a run's trace that the run can be restored to.
 *
 * @param id of its checkpoint; null when a foreign runner stores the files elsewhere
 * @param trigger this and the fields after it are those of the checkpoint; null when there is none,
 *     or when it was deleted
 */
@Schema(name = "RunCheckpoint")
public record RunCheckpointView(
    @Nullable String id,
    String digest,
    String format,
    String step,
    String branch,
    int epoch,
    long position,
    long sizeBytes,
    long fileCount,
    Instant time,
    @Nullable String trigger,
    @Nullable Instant createdAt,
    @Nullable Long storedBytes,
    @Nullable Boolean verified,
    @Nullable Boolean pinned) {

  static RunCheckpointView of(Cut cut, @Nullable StoredCheckpoint stored) {
    return new RunCheckpointView(
        cut.getCheckpoint().isEmpty() ? null : cut.getCheckpoint(),
        cut.getDigest(),
        cut.getFormat(),
        cut.getStep(),
        cut.getBranch(),
        cut.getEpoch(),
        cut.getPosition(),
        cut.getSizeBytes(),
        cut.getFileCount(),
        StoredCheckpointView.time(cut.getTimeMicros()),
        stored == null ? null : stored.getTrigger(),
        stored == null ? null : StoredCheckpointView.time(stored.getCreatedAtMicros()),
        stored == null ? null : stored.getStoredBytes(),
        stored == null ? null : StoredCheckpointView.isVerified(stored),
        stored == null ? null : stored.getPinned());
  }
}
