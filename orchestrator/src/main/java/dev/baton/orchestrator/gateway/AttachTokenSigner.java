/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signs and verifies the tokens of runners that launchers start: {@code bat1.<use>.<runner>.<end of
 * its validity, Unix time in s>.<HMAC-SHA256>}. The secret is in Postgres, so that each replica
 * verifies the tokens of all. Thread-safe.
 */
@ApplicationScoped
public class AttachTokenSigner {
  /** How long a launched runner may take until its first attach. */
  static final Duration FIRST_WITHIN = Duration.ofMinutes(10);

  /** A runner attaches again with this token as long as it lives. */
  private static final Duration AGAIN_WITHIN = Duration.ofDays(366);

  private static final Pattern CLAIMS =
      Pattern.compile("bat1\\.(once|again)\\.([a-z0-9-]{1,63})\\.(\\d{1,12})");

  private final ClaimsSigner signer;

  AttachTokenSigner(ClaimsSigner signer) {
    this.signer = signer;
  }

  /** For what a token may be used. */
  enum Use {
    /** The first attach of a runner. */
    ONCE,
    /** Each further one. */
    AGAIN;

    String word() {
      return this == ONCE ? "once" : "again";
    }
  }

  /** Content of a verified token. */
  record Claims(String runner, Use use, Instant until) {}

  /**
   * Returns the token with which a launched runner attaches first, within {@link #FIRST_WITHIN}.
   */
  public String first(String runner) {
    return sign(runner, Use.ONCE, Instant.now().plus(FIRST_WITHIN));
  }

  /** Returns the token with which an attached runner attaches again. */
  String again(String runner) {
    return sign(runner, Use.AGAIN, Instant.now().plus(AGAIN_WITHIN));
  }

  private String sign(String runner, Use use, Instant until) {
    return signer.sign("bat1.%s.%s.%d".formatted(use.word(), runner, until.getEpochSecond()));
  }

  /**
   * Returns the content of a token, also of an expired one; empty when it was not signed with the
   * secret.
   */
  Optional<Claims> verify(String token) {
    return signer
        .verify(token)
        .map(CLAIMS::matcher)
        .filter(Matcher::matches)
        .map(
            parts ->
                new Claims(
                    parts.group(2),
                    parts.group(1).equals("once") ? Use.ONCE : Use.AGAIN,
                    Instant.ofEpochSecond(Long.parseLong(parts.group(3)))));
  }
}
