/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Supplier;

/** Records the session slices of the run's steps. */
final class SessionContributor implements CheckpointContributor {
  private final Supplier<ObjectNode> slices;

  SessionContributor(Supplier<ObjectNode> slices) {
    this.slices = slices;
  }

  @Override
  public String name() {
    return "session";
  }

  @Override
  public void contribute(ManifestDraft draft) {
    slices.get().properties().forEach(slice -> draft.session(slice.getKey(), slice.getValue()));
  }
}
