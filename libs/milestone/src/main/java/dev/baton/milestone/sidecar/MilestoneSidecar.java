/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.sidecar;

import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The record of a milestone's commit, independent of the commit message. Immutable.
 *
 * @param schemaVersion of the document; this version writes {@value #SCHEMA_VERSION} and reads
 *     every {@code 1.x}
 * @param sha of the original commit; also the file's name
 * @param runId of the run that created it
 * @param milestoneIndex number of the milestone in its run, from 0
 * @param tier how thoroughly it was verified: {@code tier0}, {@code tier1} or {@code tier2}
 * @param verificationCommands those that passed
 * @param tree of the commit, to find it after a squash; null where it was not recorded
 * @param patchId of the commit ({@code git patch-id --stable}), to find it after a rewrite; null
 *     where the commit is empty, or it was not recorded
 */
public record MilestoneSidecar(
    String schemaVersion,
    String sha,
    String runId,
    int milestoneIndex,
    String milestoneTitle,
    @Nullable Instant createdAt,
    @Nullable String tier,
    List<String> verificationCommands,
    @Nullable String tree,
    @Nullable String patchId) {
  public static final String SCHEMA_VERSION = "1.0.0";

  /** A git object name, SHA-1 or SHA-256. */
  public static final Pattern SHA = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

  /**
   * @throws IllegalArgumentException that names the invalid value and what is allowed
   */
  public MilestoneSidecar {
    if (!SHA.matcher(sha).matches()) {
      throw new IllegalArgumentException("sha '" + sha + "' is not 40 or 64 hexadecimal digits");
    }
    if (runId.isEmpty()) {
      throw new IllegalArgumentException("run_id is empty");
    }
    if (milestoneIndex < 0) {
      throw new IllegalArgumentException("milestone_index " + milestoneIndex + " is below 0");
    }
    verificationCommands = List.copyOf(verificationCommands);
  }
}
