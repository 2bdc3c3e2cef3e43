/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.SignedTokenFormat.UnverifiedJwt;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the tokens with which a service authenticates at another one, in the {@link
 * SignedTokenFormat}. Their header {@code typ} differs from that of leases, so neither passes for
 * the other (RFC 8725, section 3.11). Thread-safe.
 */
public final class ServiceTokenCodec {
  /** The orchestrator as the subject of a token. */
  public static final String ORCHESTRATOR = "orchestrator";

  /** The checkpoint-store as the audience of a token. */
  public static final String STORE = "checkpoint-store";

  /** How long a token holds from its issue. */
  public static final Duration VALIDITY = Duration.ofMinutes(5);

  /** How far the clocks of two hosts may differ. */
  static final Duration MAX_SKEW = Duration.ofMinutes(2);

  private static final String TYPE = "baton-service+jwt";

  private ServiceTokenCodec() {}

  /**
   * Signs a token.
   *
   * @param key the private half of {@code published}
   * @param subject the calling service
   * @param audience the called service
   * @throws IllegalStateException if it is not an Ed25519 key
   */
  public static String sign(
      PrivateKey key, LeaseKey published, String subject, String audience, Instant now) {
    JwtClaims claims = new JwtClaims();
    claims.setIssuer(SignedTokenFormat.ISSUER);
    claims.setSubject(subject);
    claims.setAudience(audience);
    claims.setIssuedAt(NumericDate.fromSeconds(now.getEpochSecond()));
    claims.setExpirationTime(NumericDate.fromSeconds(now.plus(VALIDITY).getEpochSecond()));
    return SignedTokenFormat.sign(key, published, TYPE, claims);
  }

  /** Reads a token without verifying its signature; null if it is malformed. */
  static @Nullable UnverifiedServiceToken read(String text) {
    UnverifiedJwt jwt = SignedTokenFormat.read(text, TYPE);
    if (jwt == null) {
      return null;
    }
    try {
      JwtClaims claims = jwt.claims();
      NumericDate issued = claims.getIssuedAt();
      NumericDate expires = claims.getExpirationTime();
      return claims.getSubject() instanceof String subject
              && claims.getAudience().size() == 1
              && issued != null
              && expires != null
          ? new UnverifiedServiceToken(
              jwt,
              subject,
              claims.getAudience().getFirst(),
              Instant.ofEpochSecond(issued.getValue()),
              Instant.ofEpochSecond(expires.getValue()))
          : null;
    } catch (MalformedClaimException | RuntimeException e) {
      return null; // A claim of another type; the library throws runtime exceptions of many kinds.
    }
  }

  /** What a token claims. Not thread-safe. */
  record UnverifiedServiceToken(
      UnverifiedJwt jwt, String subject, String audience, Instant issued, Instant expires) {
    /** Whether it holds at a time, for at most {@link #VALIDITY} and the difference of clocks. */
    boolean isValid(Instant now) {
      return now.isBefore(expires.plus(MAX_SKEW))
          && now.isAfter(issued.minus(MAX_SKEW))
          && !expires.isAfter(issued.plus(VALIDITY));
    }
  }
}
