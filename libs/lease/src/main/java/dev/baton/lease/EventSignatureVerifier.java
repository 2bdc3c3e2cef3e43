/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.lease.EventSignatureCodec.UnverifiedSignature;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Verifies signatures of events. Caches the verdicts of {@value #KEPT} signatures, each of which
 * events that were sent together share. Thread-safe; never blocks.
 */
final class EventSignatureVerifier {
  private static final int KEPT = 1_000;

  private final Map<String, Boolean> verified =
      new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * Returns why the signature of the event is not valid; null if it is.
   *
   * @param keys by kid
   */
  @Nullable Refused refusal(String text, SignedEvent event, Map<String, LeaseKey> keys) {
    UnverifiedSignature signature = EventSignatureCodec.read(text);
    if (signature == null) {
      return new Refused(Reason.MALFORMED, "its signature is malformed");
    }
    LeaseKey key = keys.get(signature.kid());
    if (key == null) {
      return new Refused(
          Reason.UNKNOWN_KEY, "it is signed by an unknown key, '%s'".formatted(signature.kid()));
    }
    byte[] root = signature.root(event);
    return root.length > 0 && isSigned(signature, key, root)
        ? null
        : new Refused(Reason.BAD_SIGNATURE, "its signature is invalid");
  }

  private boolean isSigned(UnverifiedSignature signature, LeaseKey key, byte[] root) {
    // The id of a key is a hash of it, so the verdict holds while a key with this id is published.
    String name =
        "%s.%d.%s.%s"
            .formatted(
                key.kid(), signature.size(), HexFormat.of().formatHex(root), signature.signature());
    synchronized (verified) {
      Boolean before = verified.get(name);
      if (before != null) {
        return before;
      }
    }
    boolean signed = signature.isSignedBy(key, root);
    synchronized (verified) {
      verified.put(name, signed);
    }
    return signed;
  }
}
