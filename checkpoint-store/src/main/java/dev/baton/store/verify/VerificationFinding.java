/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import java.util.List;

/**
 * Something that is wrong.
 *
 * @param pack its digest; empty: the checkpoint as a whole
 * @param checkpoints that it hurts
 * @param runs theirs
 */
public record VerificationFinding(
    String pack, String what, List<String> checkpoints, List<String> runs) {
  /** Checkpoints that one names at most. */
  static final int MOST = 1_000;

  public VerificationFinding {
    checkpoints = List.copyOf(checkpoints);
    runs = List.copyOf(runs);
  }
}
