/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.OctetKeyPairJsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.Use;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.lang.JoseException;

/**
 * The public half of a key that signs leases.
 *
 * @param kid identifies the key in tokens; derived from the key, so that another key cannot have it
 * @param encoded X.509 SubjectPublicKeyInfo
 */
public record LeaseKey(String kid, PublicKey key, byte[] encoded) {
  public static final String ALGORITHM = "Ed25519";

  /**
   * Parses an encoded public key.
   *
   * @throws IllegalArgumentException if it is not an Ed25519 key
   */
  public static LeaseKey of(byte[] encoded) {
    try {
      PublicKey key =
          KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
      if (!Arrays.equals(encoded, key.getEncoded())) {
        // The key's id is a hash of its encoding, so a key must have only one.
        throw new IllegalArgumentException("not an Ed25519 public key: not its only encoding");
      }
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(encoded);
      return new LeaseKey(HexFormat.of().formatHex(digest, 0, 8), key, encoded.clone());
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("not an Ed25519 public key: " + e.getMessage(), e);
    }
  }

  /** Returns the encoded point of RFC 8032, which ends the only encoding of the key. */
  byte[] point() {
    return Arrays.copyOfRange(encoded, encoded.length - Ed25519.PUBLIC_KEY_SIZE, encoded.length);
  }

  /** Returns the key as a member of a JSON Web Key Set (RFC 8037). */
  public Map<String, String> jwk() {
    try {
      PublicJsonWebKey jwk = PublicJsonWebKey.Factory.newPublicJwk(key);
      jwk.setAlgorithm(AlgorithmIdentifiers.EDDSA);
      jwk.setUse(Use.SIGNATURE);
      jwk.setKeyId(kid);
      Map<String, String> members = new HashMap<>();
      jwk.toParams(JsonWebKey.OutputControlLevel.PUBLIC_ONLY)
          .forEach((name, value) -> members.put(name, value.toString()));
      return members;
    } catch (JoseException e) {
      throw new IllegalStateException("every " + ALGORITHM + " key is a JSON Web Key", e);
    }
  }

  /**
   * Reads the Ed25519 keys of a JSON Web Key Set, by kid; ignores other keys and the kids in the
   * set.
   *
   * @throws IllegalArgumentException if it is not a key set
   */
  public static Map<String, LeaseKey> readSet(byte[] json) {
    try {
      Map<String, LeaseKey> found = new HashMap<>();
      for (JsonWebKey jwk : new JsonWebKeySet(new String(json, UTF_8)).getJsonWebKeys()) {
        if (jwk instanceof OctetKeyPairJsonWebKey pair && ALGORITHM.equals(pair.getSubtype())) {
          LeaseKey key = of(pair.getPublicKey().getEncoded());
          found.put(key.kid(), key);
        }
      }
      return found;
    } catch (JoseException | ClassCastException e) {
      // The library casts the elements of the list.
      throw new IllegalArgumentException(
          "not a JSON Web Key Set: it has no list 'keys' of objects: " + e.getMessage(), e);
    }
  }
}
