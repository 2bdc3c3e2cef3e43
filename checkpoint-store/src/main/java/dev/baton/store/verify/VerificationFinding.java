/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import java.util.List;

/**
 * A problem that verification found.
 *
 * @param pack its digest; empty for a problem of the checkpoint as a whole
 * @param checkpoints that are affected
 * @param runs of these checkpoints
 */
public record VerificationFinding(
    String pack, String what, List<String> checkpoints, List<String> runs) {
  /** Maximum number of checkpoints that a finding lists. */
  static final int MOST = 1_000;

  public VerificationFinding {
    checkpoints = List.copyOf(checkpoints);
    runs = List.copyOf(runs);
  }
}
