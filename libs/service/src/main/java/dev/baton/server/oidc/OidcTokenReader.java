/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a token and checks all but its signature: form, algorithm, issuer, audience and times.
 * Thread-safe.
 */
final class OidcTokenReader {
  /** Longest token in characters; HTTP headers of this size are refused before. */
  private static final int MAX_LENGTH = 16 << 10;

  private static final int MAX_SUBJECT = 255;

  /** The end of the year 9999, since larger times overflow. */
  private static final long LATEST = 253_402_300_799L;

  // An empty signature is that of a token without one, whose algorithm is then named.
  private static final Pattern COMPACT = Pattern.compile("[\\w-]++\\.[\\w-]++\\.[\\w-]*+");

  /** Others are not for requests, such as those that end a session. */
  private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

  private static final AlgorithmConstraints ASYMMETRIC =
      new AlgorithmConstraints(ConstraintType.PERMIT, IssuerKey.ALGORITHMS.toArray(new String[0]));

  private final OidcSettings settings;
  private final InstantSource clock;

  OidcTokenReader(OidcSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** Whether a credential has the form of a signed JSON Web Token. */
  static boolean isToken(String credential) {
    return credential.length() <= MAX_LENGTH && COMPACT.matcher(credential).matches();
  }

  /** What was read. */
  sealed interface Result {}

  /** Why a token is refused, without what it contains. */
  record Unusable(String reason) implements Result {}

  /** A token whose signature is not verified. Not thread-safe. */
  record UnverifiedToken(
      JsonWebSignature signature, String kid, String subject, Instant validUntil, JwtClaims claims)
      implements Result {
    boolean isSignedBy(IssuerKey key) {
      if (!key.allows(signature.getAlgorithmHeaderValue())) {
        return false;
      }
      signature.setKey(key.key());
      try {
        return signature.verifySignature();
      } catch (JoseException e) {
        return false; // The key does not fit the algorithm, or a critical header is unknown.
      }
    }

    Map<String, Object> all() {
      return claims.getClaimsMap();
    }
  }

  Result read(String token) {
    if (!isToken(token)) {
      return new Unusable("the token is not a signed JSON Web Token");
    }
    try {
      JsonWebSignature signature = new JsonWebSignature();
      signature.setAlgorithmConstraints(ASYMMETRIC);
      signature.setCompactSerialization(token);
      JwtClaims claims = JwtClaims.parse(signature.getUnverifiedPayload());
      String problem = headerProblem(signature);
      return problem == null ? read(signature, claims) : new Unusable(problem);
    } catch (JoseException | InvalidJwtException | MalformedClaimException | RuntimeException e) {
      // Not JSON; the library's parser throws runtime exceptions of many kinds.
      return new Unusable("the token is malformed");
    }
  }

  private static @Nullable String headerProblem(JsonWebSignature signature) {
    if (!IssuerKey.ALGORITHMS.contains(signature.getAlgorithmHeaderValue())) {
      return "the algorithm of the token is not allowed; allowed: "
          + String.join(", ", new TreeSet<>(IssuerKey.ALGORITHMS));
    }
    Object type = signature.getHeaders().getObjectHeaderValue("typ");
    if (type != null
        && !(type instanceof String name
            && TYPES.contains(name.toLowerCase(java.util.Locale.ROOT)))) {
      return "the token is of a type that is not for requests; allowed: JWT, at+jwt";
    }
    String kid = signature.getKeyIdHeaderValue();
    return kid == null || kid.isEmpty() || kid.length() > IssuerKey.MAX_KID
        ? "the token names no key (kid)"
        : null;
  }

  private Result read(JsonWebSignature signature, JwtClaims claims) throws MalformedClaimException {
    if (!settings.issuer().equals(claims.getIssuer())) {
      return new Unusable("the token is of another issuer; allowed: " + settings.issuer());
    }
    List<String> audiences = claims.hasAudience() ? claims.getAudience() : List.of();
    if (audiences.stream().noneMatch(settings.audiences()::contains)) {
      return new Unusable(
          "the token is for another audience; allowed: " + settings.audienceWords());
    }
    long now = clock.instant().getEpochSecond();
    long skew = settings.clockSkew().toSeconds();
    NumericDate expires = claims.getExpirationTime();
    if (expires == null) {
      return new Unusable("the token has no time of expiry (exp)");
    }
    long until = Math.min(expires.getValue(), LATEST) + skew;
    if (until <= now) {
      return new Unusable("the token has expired");
    }
    if (isLater(claims.getNotBefore(), now + skew)) {
      return new Unusable("the token is not valid yet (nbf)");
    }
    if (isLater(claims.getIssuedAt(), now + skew)) {
      return new Unusable("the token was issued in the future (iat); compare the clocks");
    }
    String subject = claims.getSubject();
    if (subject == null || subject.isBlank() || subject.length() > MAX_SUBJECT) {
      return new Unusable("the token names no subject (sub) of 1 to 255 characters");
    }
    return new UnverifiedToken(
        signature, signature.getKeyIdHeaderValue(), subject, Instant.ofEpochSecond(until), claims);
  }

  private static boolean isLater(@Nullable NumericDate time, long than) {
    return time != null && time.getValue() > than;
  }
}
