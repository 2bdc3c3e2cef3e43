/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.checkpoint;

import java.io.IOException;

/**
 * Contributes a part of a checkpoint other than the files of the workspace. Thread-safe; may block
 * for seconds.
 */
public interface CheckpointContributor {
  /** Returns its name in the manifest. */
  String name();

  /**
   * Adds its part to the manifest.
   *
   * @throws IOException when the part is unavailable; the checkpoint is created without it
   */
  void contribute(ManifestDraft draft) throws IOException, InterruptedException;
}
