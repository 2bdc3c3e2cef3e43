/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of one check.
 *
 * @param failure what the server did; null when the requirement is met
 */
public record CheckOutcome(StoreCheck check, long millis, @Nullable String failure) {
  public boolean isMet() {
    return failure == null;
  }

  /** Whether Baton must not be used with the server. */
  public boolean isFatal() {
    return failure != null && check.need() == StoreCheck.Need.REQUIRED;
  }
}
