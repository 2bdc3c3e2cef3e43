/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import java.util.Base64;
import java.util.Optional;

/**
 * Parses a webhook's secret as the Standard Webhooks specification writes it: {@code
 * whsec_<base64>}.
 */
public final class WebhookSecretParser {
  public static final String ALLOWED = "whsec_ and the Base64 of 24 to 64 bytes";
  private static final String PREFIX = "whsec_";
  private static final int LEAST = 24;
  private static final int MOST = 64;

  private WebhookSecretParser() {}

  /** Returns the secret's bytes; empty when the text is not a valid secret. */
  public static Optional<byte[]> read(String text) {
    if (!text.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(text.substring(PREFIX.length()));
      return bytes.length < LEAST || bytes.length > MOST ? Optional.empty() : Optional.of(bytes);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }
}
