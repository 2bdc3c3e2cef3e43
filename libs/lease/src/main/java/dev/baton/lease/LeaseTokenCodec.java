/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import java.security.PrivateKey;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads tokens: signed JSON Web Tokens (RFC 7519) with EdDSA (RFC 8037) in the compact
 * form. They have no expiry: only the epoch decides whether one still counts. Thread-safe.
 */
public final class LeaseTokenCodec {
  private static final String ISSUER = "baton";
  private static final String EPOCH = "epoch";
  private static final String PROJECT = "project";

  /** Longest token in characters; an honest one has about 300. */
  private static final int MAX_LENGTH = 2_048;

  private static final AlgorithmConstraints EDDSA =
      new AlgorithmConstraints(ConstraintType.PERMIT, AlgorithmIdentifiers.EDDSA);

  // The library skips characters outside of the alphabet, with which anyone could write one token
  // in many ways.
  private static final String BASE64 = "(?:[\\w-]{4})*+(?:[\\w-]{3}=?|[\\w-]{2}(?:==)?)?+";
  private static final Pattern COMPACT = Pattern.compile(BASE64 + "\\." + BASE64 + "\\." + BASE64);
  private static final Pattern KID = Pattern.compile("[0-9a-f]{16}");

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
    claims.setIssuer(ISSUER);
    claims.setSubject(run);
    claims.setClaim(EPOCH, epoch);
    claims.setClaim(PROJECT, project);
    claims.setIssuedAt(NumericDate.fromSeconds(now.getEpochSecond()));
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(AlgorithmIdentifiers.EDDSA);
    token.setHeader("typ", "JWT");
    token.setKeyIdHeaderValue(published.kid());
    token.setPayload(claims.toJson());
    token.setKey(key);
    try {
      return token.getCompactSerialization();
    } catch (JoseException e) {
      throw new IllegalStateException(
          "cannot sign with a key that is not " + LeaseKey.ALGORITHM, e);
    }
  }

  /** Reads a token without verifying its signature; null if it is malformed. */
  static @Nullable UnverifiedToken read(String text) {
    if (text.length() > MAX_LENGTH || !COMPACT.matcher(text).matches()) {
      return null;
    }
    try {
      JsonWebSignature token = new JsonWebSignature();
      token.setAlgorithmConstraints(EDDSA);
      token.setCompactSerialization(text);
      JwtClaims claims = JwtClaims.parse(token.getUnverifiedPayload());
      return AlgorithmIdentifiers.EDDSA.equals(token.getAlgorithmHeaderValue())
              && token.getKeyIdHeaderValue() instanceof String kid
              && KID.matcher(kid).matches()
              && ISSUER.equals(claims.getClaimValue("iss"))
              && claims.getClaimValue("sub") instanceof String run
              && claims.getClaimValue(EPOCH) instanceof Long epoch
              && epoch == epoch.intValue()
              && claims.getClaimValue(PROJECT) instanceof String project
          ? new UnverifiedToken(token, kid, run, epoch.intValue(), project)
          : null;
    } catch (JoseException | InvalidJwtException | RuntimeException e) {
      return null; // Not JSON; the library's parser throws runtime exceptions of many kinds.
    }
  }

  /** What a token claims. Not thread-safe. */
  record UnverifiedToken(
      JsonWebSignature token, String kid, String run, int epoch, String project) {
    boolean isSignedBy(LeaseKey key) {
      token.setKey(key.key());
      try {
        return token.verifySignature();
      } catch (JoseException e) {
        return false; // For example a critical header that the library does not support.
      }
    }
  }
}
