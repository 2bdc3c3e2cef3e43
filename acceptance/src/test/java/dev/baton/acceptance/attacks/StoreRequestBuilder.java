/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import dev.baton.acceptance.attacks.AttackTarget.Version;

/** Builds requests to the store, which name their caller in its own message now. */
final class StoreRequestBuilder {
  static final String PROJECT = "default";

  /** Number of the fields that the message of the caller has replaced, less one. */
  private static final int CALLER_FIELDS = 3;

  private final Version version;
  private final WireMessage request;

  /**
   * @param epoch 0 for a service
   * @param lease empty for none
   */
  StoreRequestBuilder(Version version, String run, int epoch, String lease) {
    this.version = version;
    this.request =
        switch (version) {
          case BEFORE ->
              new WireMessage().text(1, run).number(2, epoch).text(3, lease).text(4, PROJECT);
          case NOW ->
              new WireMessage()
                  .message(
                      1,
                      new WireMessage()
                          .text(1, PROJECT)
                          .text(2, run)
                          .number(3, epoch)
                          .text(4, lease));
        };
  }

  /**
   * Returns the request with one more field.
   *
   * @param field its number now
   */
  WireMessage with(int field, byte[] value) {
    return request.bytes(version == Version.BEFORE ? field + CALLER_FIELDS : field, value);
  }
}
