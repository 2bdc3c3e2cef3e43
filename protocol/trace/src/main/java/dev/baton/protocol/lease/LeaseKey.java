/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.lease;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * The public half of a key that signs leases.
 *
 * @param kid identifies the key in tokens; derived from the key, so that another key cannot have it
 * @param encoded X.509 SubjectPublicKeyInfo
 */
public record LeaseKey(String kid, PublicKey key, byte[] encoded) {
  public static final String ALGORITHM = "Ed25519";
  private static final byte[] PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final int RAW_BYTES = 32;

  /**
   * Parses an encoded public key.
   *
   * @throws IllegalArgumentException if it is not an Ed25519 key
   */
  public static LeaseKey of(byte[] encoded) {
    if (encoded.length != PREFIX.length + RAW_BYTES
        || !Arrays.equals(PREFIX, Arrays.copyOf(encoded, PREFIX.length))) {
      throw new IllegalArgumentException("not an Ed25519 public key");
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(encoded);
      return new LeaseKey(
          HexFormat.of().formatHex(digest, 0, 8),
          KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded)),
          encoded.clone());
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("not an Ed25519 public key: " + e.getMessage(), e);
    }
  }

  /** Returns the key as a member of a JSON Web Key Set (RFC 8037). */
  public Map<String, String> jwk() {
    byte[] raw = Arrays.copyOfRange(encoded, PREFIX.length, encoded.length);
    return Map.of(
        "kty",
        "OKP",
        "crv",
        ALGORITHM,
        "alg",
        "EdDSA",
        "use",
        "sig",
        "kid",
        kid,
        "x",
        Base64.getUrlEncoder().withoutPadding().encodeToString(raw));
  }

  /**
   * Reads the Ed25519 keys of a JSON Web Key Set, by kid; ignores other keys.
   *
   * @throws IllegalArgumentException if it is not a key set
   */
  public static Map<String, LeaseKey> readSet(byte[] json) {
    JsonNode keys = Json.tree(json).path("keys");
    if (!keys.isArray()) {
      throw new IllegalArgumentException("not a JSON Web Key Set: it has no list 'keys'");
    }
    Map<String, LeaseKey> found = new HashMap<>();
    for (JsonNode jwk : keys) {
      if (jwk.path("crv").asText().equals(ALGORITHM)) {
        byte[] raw = Base64.getUrlDecoder().decode(jwk.path("x").asText());
        byte[] encoded = Arrays.copyOf(PREFIX, PREFIX.length + raw.length);
        System.arraycopy(raw, 0, encoded, PREFIX.length, raw.length);
        LeaseKey key = of(encoded);
        found.put(key.kid(), key);
      }
    }
    return found;
  }
}
