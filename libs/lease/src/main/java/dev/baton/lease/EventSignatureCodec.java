/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Signs events of a service, and reads these signatures. Events that are sent together share an
 * Ed25519 signature (RFC 8032) over the root of their {@link EventHashTree}. A signature is the
 * text
 *
 * <pre>
 *   kid.index.size.path.signature
 * </pre>
 *
 * where {@code path} and {@code signature} are in URL-safe base64 without padding. It covers the
 * event's id, type and data. Thread-safe.
 */
public final class EventSignatureCodec {
  /** Most events that share a signature. Each doubling adds 43 characters to all of them. */
  public static final int MAX_TOGETHER = 64;

  /** Separates these signatures from those of tokens with the same key. */
  private static final byte[] CONTEXT = "baton.events.v1\n".getBytes(US_ASCII);

  private static final int MAX_PATH = 6 * EventHashTree.HASH;

  // 64 bytes of a signature are 86 characters.
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9a-f]{16})\\.(0|[1-9]\\d?)\\.([1-9]\\d?)\\.([\\w-]{0,256})\\.([\\w-]{86})");

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private EventSignatureCodec() {}

  /**
   * An event as it is sent.
   *
   * @param data not copied
   */
  public record SignedEvent(String id, String type, byte[] data) {}

  /**
   * Returns a signature for each event, in the same order.
   *
   * @param key the private half of {@code published}
   * @throws IllegalStateException if it is not an Ed25519 key
   */
  public static List<String> sign(PrivateKey key, LeaseKey published, List<SignedEvent> events) {
    List<String> signatures = new ArrayList<>(events.size());
    for (int from = 0; from < events.size(); from += MAX_TOGETHER) {
      List<SignedEvent> together =
          events.subList(from, Math.min(from + MAX_TOGETHER, events.size()));
      EventHashTree tree =
          new EventHashTree(
              together.stream()
                  .map(event -> EventHashTree.leaf(event.id(), event.type(), event.data()))
                  .toList());
      String signature =
          ENCODER.encodeToString(Ed25519Signer.sign(key, message(tree.root(), together.size())));
      for (int i = 0; i < together.size(); i++) {
        signatures.add(
            "%s.%d.%d.%s.%s"
                .formatted(
                    published.kid(),
                    i,
                    together.size(),
                    ENCODER.encodeToString(tree.path(i)),
                    signature));
      }
    }
    return signatures;
  }

  private static byte[] message(byte[] root, int size) {
    return ByteBuffer.allocate(CONTEXT.length + Integer.BYTES + root.length)
        .put(CONTEXT)
        .putInt(size)
        .put(root)
        .array();
  }

  /**
   * Returns the id of the key that a signature names; null if it is malformed. Verifies nothing.
   */
  public static @Nullable String kid(String signature) {
    UnverifiedSignature read = read(signature);
    return read == null ? null : read.kid();
  }

  /** Reads a signature without verifying it; null if it is malformed. */
  static @Nullable UnverifiedSignature read(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return null;
    }
    int index = Integer.parseInt(form.group(2));
    int size = Integer.parseInt(form.group(3));
    try {
      byte[] path = DECODER.decode(form.group(4));
      return size <= MAX_TOGETHER && index < size && path.length <= MAX_PATH
          ? new UnverifiedSignature(form.group(1), index, size, path, form.group(5))
          : null;
    } catch (IllegalArgumentException e) {
      return null; // Not base64.
    }
  }

  /** What a signature claims. */
  record UnverifiedSignature(String kid, int index, int size, byte[] path, String signature) {
    /** Returns the root that must be signed; empty if the path does not fit. */
    byte[] root(SignedEvent event) {
      return EventHashTree.root(
          EventHashTree.leaf(event.id(), event.type(), event.data()), index, size, path);
    }

    /** Whether this key has signed the root. */
    boolean isSignedBy(LeaseKey key, byte[] root) {
      try {
        return Ed25519Signer.isSignedBy(key, message(root, size), DECODER.decode(signature));
      } catch (IllegalArgumentException e) {
        return false; // Not base64.
      }
    }
  }
}
