/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failed request, and whether the same request may succeed later. */
public class TransferException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean temporary;

  /**
   * @param message may be null, as may the cause
   */
  protected TransferException(
      @Nullable String message, boolean temporary, @Nullable Throwable cause) {
    super(message, cause);
    this.temporary = temporary;
  }

  /** Whether a retry may succeed. Other {@link IOException}s of a transfer are temporary. */
  public final boolean isTemporary() {
    return temporary;
  }
}
