/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import java.util.Optional;

/** Finds credentials of local test servers that are used for servers of other hosts. */
public final class DefaultCredentialChecker {
  private DefaultCredentialChecker() {}

  /**
   * @param key of the credential, for the message
   * @param value never part of the message
   * @param known the default, which the documents have
   * @param hostKey of the server
   * @return why the service must not start; empty when it may
   */
  public static Optional<String> problem(
      String key, String value, String known, String hostKey, String host) {
    return value.equals(known) && !LoopbackChecker.isLoopback(host)
        ? Optional.of(
            "%s is not set, and its default is only for a server on loopback, not for %s=%s"
                .formatted(key, hostKey, host))
        : Optional.empty();
  }
}
