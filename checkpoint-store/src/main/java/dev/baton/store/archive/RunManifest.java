/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.ForkedFrom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code manifest.json} of a run's commit. Depends only on the events: it contains no time of its
 * own.
 *
 * @param schema of the commit's tree
 * @param events number of events in {@code trace.jsonl}
 * @param lastEvent its id
 * @param checkpoints that the commit contains, with their packs
 * @param blobs outputs by reference that the commit contains
 * @param leftOut objects that a resume elsewhere would need, and why they are missing
 */
record RunManifest(
    int schema,
    String run,
    String project,
    @Nullable String workflow,
    @Nullable String definitionHash,
    String kind,
    String status,
    Map<String, String> labels,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable ForkedFrom forkedFrom,
    int epoch,
    long events,
    String lastEvent,
    long stepsCompleted,
    @Nullable Failure error,
    List<String> checkpoints,
    List<Blob> blobs,
    List<LeftOut> leftOut) {

  static final int SCHEMA = 1;

  /** Maximum bytes of a manifest that a list of archived runs returns. */
  static final int LARGEST = 8 << 20;

  RunManifest {
    labels = labels == null ? Map.of() : Map.copyOf(labels);
    checkpoints = checkpoints == null ? List.of() : List.copyOf(checkpoints);
    blobs = blobs == null ? List.of() : List.copyOf(blobs);
    leftOut = leftOut == null ? List.of() : List.copyOf(leftOut);
  }

  /** An output, stored in {@code blobs/} under the hex digits of its digest. */
  record Blob(String digest, long sizeBytes) {}

  /**
   * @param what {@code checkpoint} or {@code blob}
   * @param name its id, or its digest
   */
  record LeftOut(String what, String name, long sizeBytes, String reason) {}
}
