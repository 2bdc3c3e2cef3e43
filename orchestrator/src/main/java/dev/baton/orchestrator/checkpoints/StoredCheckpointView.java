/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.trace.RunId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint as the API returns it.
 *
 * @param step null for a checkpoint of the whole run
 * @param sizeBytes total size of its files
 * @param storedBytes bytes that were new with it
 * @param packBytes total size of all packs that it refers to
 * @param verified whether all of it was read and found intact
 * @param verification {@code pending verified corrupt}
 * @param problem what is damaged; null when no damage was found
 * @param manifest only when a single checkpoint is requested
 */
@Schema(name = "Checkpoint")
public record StoredCheckpointView(
    String id,
    String displayId,
    String run,
    String project,
    int epoch,
    @Nullable String step,
    String trigger,
    Instant createdAt,
    String digest,
    long sizeBytes,
    long storedBytes,
    long packBytes,
    long fileCount,
    int packCount,
    boolean verified,
    String verification,
    @Nullable Instant verifiedAt,
    @Nullable String problem,
    boolean pinned,
    @Nullable String pinReason,
    @Nullable String pinnedBy,
    @Nullable JsonNode manifest) {

  static StoredCheckpointView of(StoredCheckpoint stored, @Nullable JsonNode manifest) {
    return new StoredCheckpointView(
        stored.getId(),
        RunId.isValid(stored.getId()) ? RunId.display(stored.getId()) : stored.getId(),
        stored.getRun(),
        stored.getProject(),
        stored.getEpoch(),
        text(stored.getStep()),
        stored.getTrigger(),
        time(stored.getCreatedAtMicros()),
        stored.getDigest(),
        stored.getSizeBytes(),
        stored.getStoredBytes(),
        stored.getPackBytes(),
        stored.getFileCount(),
        stored.getPackCount(),
        isVerified(stored),
        stored.getVerification(),
        stored.getVerifiedAtMicros() == 0 ? null : time(stored.getVerifiedAtMicros()),
        text(stored.getProblem()),
        stored.getPinned(),
        text(stored.getPinReason()),
        text(stored.getPinnedBy()),
        manifest);
  }

  static boolean isVerified(StoredCheckpoint stored) {
    return stored.getVerification().equals("verified");
  }

  static Instant time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static @Nullable String text(String text) {
    return text.isEmpty() ? null : text;
  }
}
