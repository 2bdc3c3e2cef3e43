/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import jakarta.enterprise.context.ApplicationScoped;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signs and verifies the tokens with which programs of steps query their own run, for {@code baton
 * guard}: {@code bst1.<run>.<HMAC-SHA256>}. They allow nothing else, so they do not expire. The
 * secret is that of {@link AttachTokenSigner}. Thread-safe.
 */
@ApplicationScoped
public class StepTokenSigner {
  private static final Pattern TOKEN = Pattern.compile("(bst1\\.([0-9a-z]{26}))\\.([\\w-]{43})");

  private final AttachSecretSource secret;

  StepTokenSigner(AttachSecretSource secret) {
    this.secret = secret;
  }

  /** Returns the token of a run's steps. */
  public String sign(String run) {
    String claims = "bst1." + run;
    return claims
        + "."
        + Base64.getUrlEncoder().withoutPadding().encodeToString(secret.mac(claims));
  }

  /** Returns the run of a token; empty when it was not signed with the secret. */
  public Optional<String> verify(String token) {
    Matcher parts = TOKEN.matcher(token);
    if (!parts.matches()) {
      return Optional.empty();
    }
    byte[] signature;
    try {
      signature = Base64.getUrlDecoder().decode(parts.group(3));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    return MessageDigest.isEqual(secret.mac(parts.group(1)), signature)
        ? Optional.of(parts.group(2))
        : Optional.empty();
  }
}
