/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import java.io.IOException;

/**
 * A part of a checkpoint besides the files of the workspace. Thread-safe; may block for seconds.
 */
public interface CheckpointContributor {
  /** As the manifest names it. */
  String name();

  /**
   * Adds its part.
   *
   * @throws IOException when it cannot be had; the checkpoint goes on without it
   */
  void contribute(ManifestDraft draft) throws IOException, InterruptedException;
}
