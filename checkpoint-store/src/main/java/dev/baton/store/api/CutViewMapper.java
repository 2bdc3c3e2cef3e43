/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.state.StepPath;
import dev.baton.store.snapshot.CutEntity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/** Converts a stored cut into its gRPC and REST forms. */
final class CutViewMapper {
  private CutViewMapper() {}

  static StoreCutView view(CutEntity cut) {
    return new StoreCutView(
        cut.digest(),
        cut.step(),
        StepPath.branchOf(cut.step()),
        cut.format(),
        cut.epoch(),
        cut.position(),
        cut.treeBytes(),
        cut.storedBytes(),
        cut.fileCount(),
        Instant.EPOCH.plus(cut.timeMicros(), ChronoUnit.MICROS),
        cut.checkpoint());
  }

  static Cut message(CutEntity cut) {
    return Cut.newBuilder()
        .setDigest(cut.digest())
        .setStep(cut.step())
        .setBranch(StepPath.branchOf(cut.step()))
        .setEpoch(cut.epoch())
        .setPosition(cut.position())
        .setSizeBytes(cut.treeBytes())
        .setFileCount(cut.fileCount())
        .setTimeMicros(cut.timeMicros())
        .setFormat(cut.format())
        .setCheckpoint(Objects.requireNonNullElse(cut.checkpoint(), ""))
        .build();
  }
}
