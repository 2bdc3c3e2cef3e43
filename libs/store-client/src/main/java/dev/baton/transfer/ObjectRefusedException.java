/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import java.util.Set;

/**
 * The object store answered a request with a failure status. Not temporary if the object, or the
 * requested part of it, does not exist.
 */
public final class ObjectRefusedException extends TransferException {
  private static final long serialVersionUID = 1L;

  private static final Set<Integer> EXPIRED = Set.of(400, 401, 403);
  private static final Set<Integer> FINAL = Set.of(404, 410, 416);

  private final int status;

  ObjectRefusedException(String message, int status) {
    super(message, !FINAL.contains(status), null);
    this.status = status;
  }

  /** Returns the HTTP status. */
  public int status() {
    return status;
  }

  /** Whether another URL may succeed: the signature of this one has expired or is not valid. */
  public boolean isExpired() {
    return EXPIRED.contains(status);
  }
}
