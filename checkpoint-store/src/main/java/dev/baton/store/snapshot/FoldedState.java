/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;

/**
 * A run's state and the position up to which it is folded.
 *
 * @param run the state
 * @param position of the last event folded; 0 if there was none
 */
public record FoldedState(RunState run, long position) {
  /** The state as JSON. */
  public byte[] state() {
    return Json.bytes(run);
  }

  /** The state as JSON, compressed while it is written: the whole text is never in memory. */
  public byte[] packed() {
    return RunStateCompressor.of(run);
  }
}
