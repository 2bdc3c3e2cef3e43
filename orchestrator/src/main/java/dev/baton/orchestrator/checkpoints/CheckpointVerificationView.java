/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading all of a checkpoint.
 *
 * @param findings the defects; empty when the checkpoint is verified
 * @param bytes number of bytes read
 */
@Schema(name = "CheckpointVerification")
public record CheckpointVerificationView(
    String id, boolean verified, List<Finding> findings, int packs, long bytes) {

  /**
   * @param pack null when the finding is about the whole checkpoint
   * @param checkpoints the damaged checkpoints
   * @param runs the runs of these checkpoints
   */
  @Schema(name = "CheckpointFinding")
  public record Finding(
      @Nullable String pack, String what, List<String> checkpoints, List<String> runs) {
    static Finding of(dev.baton.protocol.grpc.Finding finding) {
      return new Finding(
          finding.getPack().isEmpty() ? null : finding.getPack(),
          finding.getWhat(),
          List.copyOf(finding.getCheckpointsList()),
          List.copyOf(finding.getRunsList()));
    }
  }

  static CheckpointVerificationView of(String id, VerifyCheckpointResponse response) {
    return new CheckpointVerificationView(
        id,
        response.getVerified(),
        response.getFindingsList().stream().map(Finding::of).toList(),
        response.getPacks(),
        response.getBytes());
  }
}
