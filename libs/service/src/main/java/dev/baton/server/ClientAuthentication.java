/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.vertx.core.http.ClientAuth;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether clients of a listener need a certificate. */
enum ClientAuthentication {
  /** None is requested. */
  NONE(ClientAuth.NONE),
  /** A certificate that a client presents must be valid; it may present none. */
  REQUESTED(ClientAuth.REQUEST),
  /** Clients without a valid certificate are refused. */
  REQUIRED(ClientAuth.REQUIRED);

  private final ClientAuth vertx;

  ClientAuthentication(ClientAuth vertx) {
    this.vertx = vertx;
  }

  ClientAuth vertx() {
    return vertx;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns what the key is set to; {@link #NONE} by default.
   *
   * @throws IllegalArgumentException that names the key and what is allowed
   */
  static ClientAuthentication of(Optional<String> word) {
    if (word.isEmpty()) {
      return NONE;
    }
    return Arrays.stream(values())
        .filter(value -> value.word().equals(word.get()))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    ListenerTlsSource.CLIENT_AUTH
                        + "="
                        + word.get()
                        + " is not allowed; allowed: "
                        + Arrays.stream(values())
                            .map(ClientAuthentication::word)
                            .collect(Collectors.joining(", "))));
  }
}
