/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.SignedTokenFormat.UnverifiedJwt;
import java.security.PrivateKey;
import java.time.Instant;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads leases, in the {@link SignedTokenFormat}. They have no expiry: only the epoch
 * decides whether one still counts. Thread-safe.
 */
public final class LeaseTokenCodec {
  private static final String TYPE = "JWT";
  private static final String EPOCH = "epoch";
  private static final String PROJECT = "project";

  private LeaseTokenCodec() {}

  /**
   * Signs a token.
   *
   * @param key the private half of {@code published}
   * @throws IllegalStateException if it is not an Ed25519 key
   */
  public static String sign(
      PrivateKey key, LeaseKey published, String run, int epoch, String project, Instant now) {
    JwtClaims claims = new JwtClaims();
    claims.setIssuer(SignedTokenFormat.ISSUER);
    claims.setSubject(run);
    claims.setClaim(EPOCH, epoch);
    claims.setClaim(PROJECT, project);
    claims.setIssuedAt(NumericDate.fromSeconds(now.getEpochSecond()));
    return SignedTokenFormat.sign(key, published, TYPE, claims);
  }

  /** Returns the id of the key that a token names; null if it is malformed. Verifies nothing. */
  public static @Nullable String kid(String token) {
    UnverifiedToken read = read(token);
    return read == null ? null : read.kid();
  }

  /** Reads a token without verifying its signature; null if it is malformed. */
  static @Nullable UnverifiedToken read(String text) {
    UnverifiedJwt jwt = SignedTokenFormat.read(text, null);
    if (jwt == null) {
      return null;
    }
    JwtClaims claims = jwt.claims();
    return claims.getClaimValue("sub") instanceof String run
            && claims.getClaimValue(EPOCH) instanceof Long epoch
            && epoch == epoch.intValue()
            && claims.getClaimValue(PROJECT) instanceof String project
        ? new UnverifiedToken(jwt, run, epoch.intValue(), project)
        : null;
  }

  /** What a token claims. */
  record UnverifiedToken(UnverifiedJwt jwt, String run, int epoch, String project) {
    String kid() {
      return jwt.kid();
    }

    boolean isSignedBy(LeaseKey key) {
      return jwt.isSignedBy(key);
    }
  }
}
