/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import org.jspecify.annotations.Nullable;

/** A token cannot be checked now, since the keys of its issuer cannot be fetched. Retryable. */
public final class IssuerUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  IssuerUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
  }
}
