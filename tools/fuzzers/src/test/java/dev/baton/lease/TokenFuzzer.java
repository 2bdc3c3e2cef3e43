/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.TextInput;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;

/** Signatures of events, leases, tokens of services, and published keys. */
public final class TokenFuzzer {
  private static final LeaseKey KEY = key();
  private static final EventSignatureCodec.SignedEvent EVENT =
      new EventSignatureCodec.SignedEvent("id", "type", new byte[] {1});

  private TokenFuzzer() {}

  private static LeaseKey key() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(LeaseKey.ALGORITHM).generateKeyPair();
      return LeaseKey.of(pair.getPublic().getEncoded());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + LeaseKey.ALGORITHM, e);
    }
  }

  /** No key has signed the input: it must not pass. */
  public static void signature(byte[] input) {
    EventSignatureCodec.UnverifiedSignature signature =
        EventSignatureCodec.read(TextInput.text(input));
    if (signature != null) {
      byte[] root = signature.root(EVENT);
      FuzzAssert.require(
          root.length == 0 || !signature.isSignedBy(KEY, root), "a forged signature passes");
    }
  }

  public static void token(byte[] input) {
    String text = TextInput.text(input);
    LeaseTokenCodec.UnverifiedToken lease = LeaseTokenCodec.read(text);
    FuzzAssert.require(lease == null || !lease.isSignedBy(KEY), "a forged lease passes");
    ServiceTokenCodec.UnverifiedServiceToken service = ServiceTokenCodec.read(text);
    if (service != null) {
      service.isValid(Instant.EPOCH);
      FuzzAssert.require(!service.jwt().isSignedBy(KEY), "a forged token passes");
    }
  }

  /** The claims alone: the fuzzer need not invent base64. */
  public static void claims(byte[] input) {
    java.util.Base64.Encoder base64 = java.util.Base64.getUrlEncoder().withoutPadding();
    java.util.List<byte[]> parts = TextInput.parts(input, 2);
    token(
        (base64.encodeToString(parts.getFirst())
                + "."
                + base64.encodeToString(parts.getLast())
                + "."
                + "A".repeat(86))
            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  public static void keys(byte[] input) {
    try {
      LeaseKey.readSet(input);
    } catch (IllegalArgumentException rejected) {
      // Not a key set.
    }
    try {
      FuzzAssert.same(input, LeaseKey.of(input).encoded());
    } catch (IllegalArgumentException rejected) {
      // Not a key.
    }
  }
}
