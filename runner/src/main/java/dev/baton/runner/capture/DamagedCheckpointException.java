/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.trace.Cut;

/**
 * A cut cannot be restored, now or later: its checkpoint is gone, its manifest cannot be read, or
 * its packs are missing or damaged.
 */
public final class DamagedCheckpointException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final transient Cut cut;

  DamagedCheckpointException(Cut cut, String reason, Throwable cause) {
    super(reason, false);
    this.cut = cut;
    initCause(cause);
  }

  DamagedCheckpointException(Cut cut, String reason) {
    super(reason, false);
    this.cut = cut;
  }

  /** Returns the cut that was to be restored. */
  public Cut cut() {
    return cut;
  }
}
