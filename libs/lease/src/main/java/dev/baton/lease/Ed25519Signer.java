/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import java.security.PrivateKey;
import java.security.interfaces.EdECPrivateKey;
import java.util.Arrays;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * Signs messages with Ed25519 (RFC 8032) and verifies such signatures, with the arithmetic of
 * Bouncy Castle: that of the JDK takes two to three milliseconds on a slow core, ten times as much.
 * Thread-safe.
 */
final class Ed25519Signer {
  private Ed25519Signer() {}

  /**
   * Returns the signature, {@link Ed25519#SIGNATURE_SIZE} bytes.
   *
   * @throws IllegalStateException if it is not an Ed25519 key
   */
  static byte[] sign(PrivateKey key, byte[] message) {
    if (!(key instanceof EdECPrivateKey pair)
        || !LeaseKey.ALGORITHM.equals(pair.getParams().getName())) {
      throw new IllegalStateException("cannot sign with a key that is not " + LeaseKey.ALGORITHM);
    }
    byte[] seed =
        pair.getBytes()
            .orElseThrow(() -> new IllegalStateException("the private key has no encoding"));
    byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
    // Computes the public key itself: a signature for another one would reveal the private key.
    Ed25519.sign(seed, 0, message, 0, message.length, signature, 0);
    Arrays.fill(seed, (byte) 0);
    return signature;
  }

  /** Returns whether the key has signed the message; false for a signature of another length. */
  static boolean isSignedBy(LeaseKey key, byte[] message, byte[] signature) {
    return signature.length == Ed25519.SIGNATURE_SIZE
        && Ed25519.verify(signature, 0, key.point(), 0, message, 0, message.length);
  }
}
