/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.transfer.TransferException;

/** Carries a {@link StoreException} through the snapshot library. */
final class WrappedStoreException extends TransferException {
  private static final long serialVersionUID = 1L;

  private final StoreException failure;

  WrappedStoreException(StoreException failure) {
    super(failure.getMessage(), failure.isTemporary(), failure);
    this.failure = failure;
  }

  StoreException failure() {
    return failure;
  }
}
