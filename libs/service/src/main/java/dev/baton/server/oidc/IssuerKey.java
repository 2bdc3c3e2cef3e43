/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import java.security.PublicKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.Use;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.lang.JoseException;

/**
 * A published key that verifies signatures.
 *
 * @param algorithm for which the issuer has restricted it; empty for all that fit its type
 */
record IssuerKey(String kid, PublicKey key, Optional<String> algorithm) {
  /** Asymmetric ones only: with a symmetric one, a public key would sign. */
  static final Set<String> ALGORITHMS =
      Set.of(
          AlgorithmIdentifiers.RSA_USING_SHA256,
          AlgorithmIdentifiers.RSA_USING_SHA384,
          AlgorithmIdentifiers.RSA_USING_SHA512,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
          AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
          AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
          AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
          AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
          AlgorithmIdentifiers.EDDSA);

  static final int MAX_KID = 256;
  private static final int MAX_KEYS = 1_000;
  private static final String VERIFY = "verify";

  /**
   * Reads the keys of a JSON Web Key Set that verify signatures, by kid; ignores all others.
   *
   * @throws IllegalArgumentException if it is not a key set, or has more than 1,000 keys
   */
  static Map<String, IssuerKey> readSet(String json) {
    try {
      List<JsonWebKey> published = new JsonWebKeySet(json).getJsonWebKeys();
      if (published.size() > MAX_KEYS) {
        throw new IllegalArgumentException(
            "it has %d keys; allowed: at most %d".formatted(published.size(), MAX_KEYS));
      }
      Map<String, IssuerKey> keys = new HashMap<>();
      for (JsonWebKey jwk : published) {
        if (jwk instanceof PublicJsonWebKey pair && isForSignatures(jwk)) {
          keys.put(
              jwk.getKeyId(),
              new IssuerKey(
                  jwk.getKeyId(), pair.getPublicKey(), Optional.ofNullable(jwk.getAlgorithm())));
        }
      }
      return Map.copyOf(keys);
    } catch (JoseException e) {
      throw new IllegalArgumentException("it is not a JSON Web Key Set", e);
    }
  }

  private static boolean isForSignatures(JsonWebKey jwk) {
    return jwk.getKeyId() != null
        && jwk.getKeyId().length() <= MAX_KID
        && (jwk.getUse() == null || jwk.getUse().equals(Use.SIGNATURE))
        && (jwk.getKeyOps() == null || jwk.getKeyOps().contains(VERIFY))
        && (jwk.getAlgorithm() == null || ALGORITHMS.contains(jwk.getAlgorithm()));
  }

  /** Whether the issuer allows this algorithm for the key; its type is checked by the library. */
  boolean allows(String name) {
    return algorithm.isEmpty() || algorithm.get().equals(name);
  }
}
