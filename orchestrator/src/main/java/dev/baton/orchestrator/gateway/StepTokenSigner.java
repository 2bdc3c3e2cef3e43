/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import jakarta.enterprise.context.ApplicationScoped;
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
  private static final Pattern TOKEN = Pattern.compile("bst1\\.([0-9a-z]{26})\\.[\\w-]{43}");

  private final ClaimsSigner signer;

  StepTokenSigner(ClaimsSigner signer) {
    this.signer = signer;
  }

  /** Returns the token of a run's steps. */
  public String sign(String run) {
    return signer.sign("bst1." + run);
  }

  /** Returns the run of a token; empty when it was not signed with the secret. */
  public Optional<String> verify(String token) {
    // The pattern first: other credentials are refused without a computation.
    Matcher parts = TOKEN.matcher(token);
    return parts.matches() ? signer.verify(token).map(claims -> parts.group(1)) : Optional.empty();
  }
}
