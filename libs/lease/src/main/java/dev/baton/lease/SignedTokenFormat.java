/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.PrivateKey;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwx.HeaderParameterNames;
import org.jose4j.jwx.Headers;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * The common format of leases and service tokens: signed JSON Web Tokens (RFC 7519) with EdDSA (RFC
 * 8037) in the compact form. Thread-safe.
 */
final class SignedTokenFormat {
  static final String ISSUER = "baton";

  /** Longest token in characters; an honest one has about 300. */
  private static final int MAX_LENGTH = 2_048;

  private static final AlgorithmConstraints EDDSA =
      new AlgorithmConstraints(ConstraintType.PERMIT, AlgorithmIdentifiers.EDDSA);

  // The library skips characters outside of the alphabet, with which one token could be written in
  // many ways.
  private static final String BASE64 = "(?:[\\w-]{4})*+(?:[\\w-]{3}=?|[\\w-]{2}(?:==)?)?+";
  private static final Pattern COMPACT = Pattern.compile(BASE64 + "\\." + BASE64 + "\\." + BASE64);
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();
  private static final Pattern KID = Pattern.compile("[0-9a-f]{16}");

  private SignedTokenFormat() {}

  /**
   * Signs a token.
   *
   * @param key the private half of {@code published}
   * @param type the header {@code typ}, which distinguishes the kinds of tokens
   * @throws IllegalStateException if it is not an Ed25519 key
   */
  static String sign(PrivateKey key, LeaseKey published, String type, JwtClaims claims) {
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(AlgorithmIdentifiers.EDDSA);
    token.setHeader("typ", type);
    token.setKeyIdHeaderValue(published.kid());
    token.setPayload(claims.toJson());
    String signed = token.getHeaders().getEncodedHeader() + "." + token.getEncodedPayload();
    byte[] signature = Ed25519Signer.sign(key, signed.getBytes(US_ASCII));
    return signed + "." + ENCODER.encodeToString(signature);
  }

  /**
   * Reads a token without verifying its signature; null if it is malformed.
   *
   * @param type the header {@code typ} that it must have; null for any
   */
  static @Nullable UnverifiedJwt read(String text, @Nullable String type) {
    if (text.length() > MAX_LENGTH || !COMPACT.matcher(text).matches()) {
      return null;
    }
    try {
      JsonWebSignature token = new JsonWebSignature();
      token.setAlgorithmConstraints(EDDSA);
      token.setCompactSerialization(text);
      JwtClaims claims = JwtClaims.parse(token.getUnverifiedPayload());
      return AlgorithmIdentifiers.EDDSA.equals(token.getAlgorithmHeaderValue())
              && (type == null || type.equals(token.getHeader("typ")))
              && token.getKeyIdHeaderValue() instanceof String kid
              && KID.matcher(kid).matches()
              && ISSUER.equals(claims.getClaimValue("iss"))
          ? new UnverifiedJwt(text, token.getHeaders(), kid, claims)
          : null;
    } catch (JoseException | InvalidJwtException | RuntimeException e) {
      return null; // Not JSON; the library's parser throws runtime exceptions of many kinds.
    }
  }

  /** A token whose signature is not verified. */
  record UnverifiedJwt(String text, Headers headers, String kid, JwtClaims claims) {
    boolean isSignedBy(LeaseKey key) {
      int end = text.lastIndexOf('.');
      return headers.getObjectHeaderValue(HeaderParameterNames.CRITICAL) == null
          && Ed25519Signer.isSignedBy(
              key,
              text.substring(0, end).getBytes(US_ASCII),
              DECODER.decode(text.substring(end + 1)));
    }
  }
}
