/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import jakarta.enterprise.context.ApplicationScoped;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
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

  private static final Pattern TOKEN =
      Pattern.compile("(bat1\\.(once|again)\\.([a-z0-9-]{1,63})\\.(\\d{1,12}))\\.([\\w-]{43})");

  private final AttachSecretSource secret;

  AttachTokenSigner(AttachSecretSource secret) {
    this.secret = secret;
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
    String claims = "bat1.%s.%s.%d".formatted(use.word(), runner, until.getEpochSecond());
    return claims
        + "."
        + Base64.getUrlEncoder().withoutPadding().encodeToString(secret.mac(claims));
  }

  /**
   * Returns the content of a token, also of an expired one; empty when it was not signed with the
   * secret.
   */
  Optional<Claims> verify(String token) {
    Matcher parts = TOKEN.matcher(token);
    if (!parts.matches()) {
      return Optional.empty();
    }
    byte[] signature;
    try {
      signature = Base64.getUrlDecoder().decode(parts.group(5));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    return MessageDigest.isEqual(secret.mac(parts.group(1)), signature)
        ? Optional.of(
            new Claims(
                parts.group(3),
                parts.group(2).equals("once") ? Use.ONCE : Use.AGAIN,
                Instant.ofEpochSecond(Long.parseLong(parts.group(4)))))
        : Optional.empty();
  }
}
