/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Ed25519SignerTest {
  private static final HexFormat HEX = HexFormat.of();

  /** The order of the group, by which a second S of each signature would differ. */
  private static final BigInteger ORDER =
      BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));

  @Test
  void shouldSignLikeTheExampleOfTheRfc() throws Exception {
    PrivateKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePrivate(
                new EdECPrivateKeySpec(
                    NamedParameterSpec.ED25519,
                    HEX.parseHex(
                        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")));

    assertThat(HEX.formatHex(Ed25519Signer.sign(key, new byte[] {0x72})))
        .isEqualTo(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  }

  @Test
  void shouldAgreeWithTheJdk() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      LeaseKey key = LeaseKey.of(pair.getPublic().getEncoded());
      byte[] message = new byte[random.nextInt(2_000)];
      random.nextBytes(message);

      byte[] signature = Ed25519Signer.sign(pair.getPrivate(), message);

      assertThat(signature).isEqualTo(jdk(pair.getPrivate(), message));
      assertThat(Ed25519Signer.isSignedBy(key, message, signature)).isTrue();
      signature[random.nextInt(64)] ^= (byte) (1 << random.nextInt(8));
      assertThat(Ed25519Signer.isSignedBy(key, message, signature)).isFalse();
    }
  }

  private static byte[] jdk(PrivateKey key, byte[] message) throws Exception {
    Signature signer = Signature.getInstance("Ed25519");
    signer.initSign(key);
    signer.update(message);
    return signer.sign();
  }

  @Test
  void shouldAcceptOneFormOfASignatureOnly() throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    LeaseKey key = LeaseKey.of(pair.getPublic().getEncoded());
    byte[] message = {1, 2, 3};
    byte[] signature = Ed25519Signer.sign(pair.getPrivate(), message);
    byte[] larger = signature.clone();
    byte[] s = new BigInteger(1, reversed(signature)).add(ORDER).toByteArray();
    for (int i = 0; i < 32; i++) {
      larger[32 + i] = i < s.length ? s[s.length - 1 - i] : 0;
    }

    assertThat(Ed25519Signer.isSignedBy(key, message, larger)).isFalse();
    assertThat(Ed25519Signer.isSignedBy(key, message, Arrays.copyOf(signature, 63))).isFalse();
    assertThat(Ed25519Signer.isSignedBy(key, message, Arrays.copyOf(signature, 65))).isFalse();
    assertThat(Ed25519Signer.isSignedBy(key, message, new byte[0])).isFalse();
  }

  /** Returns the little-endian S of a signature as big-endian bytes. */
  private static byte[] reversed(byte[] signature) {
    byte[] reversed = new byte[32];
    for (int i = 0; i < 32; i++) {
      reversed[i] = signature[63 - i];
    }
    return reversed;
  }

  @Test
  void shouldRefuseKeysOfOtherAlgorithms() throws Exception {
    PrivateKey other = KeyPairGenerator.getInstance("Ed448").generateKeyPair().getPrivate();

    assertThatThrownBy(() -> Ed25519Signer.sign(other, new byte[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not Ed25519");
  }
}
