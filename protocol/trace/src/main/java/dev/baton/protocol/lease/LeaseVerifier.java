/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.lease;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.lease.LeaseVerdict.Granted;
import dev.baton.protocol.lease.LeaseVerdict.Reason;
import dev.baton.protocol.lease.LeaseVerdict.Refused;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Verifies lease tokens. Caches the verdicts of {@value #KEPT} tokens, so that an event usually
 * costs a map lookup instead of a signature check. Thread-safe; never blocks.
 *
 * <p>The caller supplies the keys: {@link #unknownKeys} returns the missing ones, {@link
 * #keys(Map)} sets them. A reader that folds events into a run's state must fetch missing keys
 * before it refuses a token for an unknown key; otherwise two readers of one log could decide
 * differently.
 */
public final class LeaseVerifier {
  public static final String ISSUER = "baton";
  private static final int KEPT = 10_000;
  private static final int MAX_LENGTH = 2_048;
  private static final Pattern KID = Pattern.compile("[0-9a-f]{16}");
  private static final Base64.Decoder URL = Base64.getUrlDecoder();

  private final boolean required;
  private volatile Map<String, LeaseKey> keys = Map.of();
  private final Map<String, LeaseVerdict> verified =
      new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LeaseVerdict> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param required whether to refuse events and requests without a token
   */
  public LeaseVerifier(boolean required) {
    this.required = required;
  }

  public boolean isRequired() {
    return required;
  }

  /** Replaces the keys. Clears the cache if a key was removed. */
  public void keys(Map<String, LeaseKey> now) {
    synchronized (verified) {
      boolean gone = !now.keySet().containsAll(keys.keySet());
      keys = Map.copyOf(now);
      if (gone) {
        verified.clear();
      }
    }
  }

  public Map<String, LeaseKey> keys() {
    return keys;
  }

  /** Returns the kids in these tokens for which the verifier has no key. */
  public Set<String> unknownKeys(Collection<String> tokens) {
    Set<String> unknown = new HashSet<>();
    for (String token : tokens) {
      if (kept(token) == null
          && Token.read(token) instanceof Token read
          && !keys.containsKey(read.kid())) {
        unknown.add(read.kid());
      }
    }
    return unknown;
  }

  /**
   * Checks whether the sender may act for this run and epoch.
   *
   * @param token null or empty if there is none
   */
  public LeaseVerdict check(@Nullable String token, String run, int epoch) {
    if (token == null || token.isEmpty()) {
      return required
          ? new Refused(Reason.MISSING, "it has no lease, but leases are required here")
          : new LeaseVerdict.NotAsked();
    }
    LeaseVerdict verdict = verify(token);
    return verdict instanceof Granted granted
            && !(granted.run().equals(run) && granted.epoch() == epoch)
        ? new Refused(
            Reason.FOREIGN,
            "its lease is for epoch %d of run %s".formatted(granted.epoch(), granted.run()))
        : verdict;
  }

  /** Like {@link #check(String, String, int)}, and also checks the project. */
  public LeaseVerdict check(@Nullable String token, String run, int epoch, String project) {
    LeaseVerdict verdict = check(token, run, epoch);
    return verdict instanceof Granted granted && !granted.project().equals(project)
        ? new Refused(Reason.FOREIGN, "its lease is for project '%s'".formatted(granted.project()))
        : verdict;
  }

  private LeaseVerdict verify(String token) {
    LeaseVerdict kept = kept(token);
    if (kept != null) {
      return kept;
    }
    Token read = Token.read(token);
    if (read == null) {
      return new Refused(Reason.MALFORMED, "its lease is not a Baton token");
    }
    LeaseKey key = keys.get(read.kid());
    if (key == null) {
      return new Refused(
          Reason.UNKNOWN_KEY, "its lease is signed by an unknown key, '%s'".formatted(read.kid()));
    }
    LeaseVerdict verdict =
        read.isSignedBy(key)
            ? new Granted(read.run(), read.epoch(), read.project())
            : new Refused(Reason.BAD_SIGNATURE, "the signature of its lease is invalid");
    synchronized (verified) {
      // The key may have been removed while the signature was verified.
      if (keys.containsKey(read.kid())) {
        verified.put(token, verdict);
      }
    }
    return verdict;
  }

  private @Nullable LeaseVerdict kept(String token) {
    synchronized (verified) {
      return verified.get(token);
    }
  }

  private record Token(
      String kid, String run, int epoch, String project, byte[] signed, byte[] signature) {

    /** Parses a token; null if it is malformed. */
    static @Nullable Token read(String text) {
      String[] parts = text.length() > MAX_LENGTH ? new String[0] : text.split("\\.", -1);
      if (parts.length != 3) {
        return null;
      }
      try {
        JsonNode header = Json.tree(URL.decode(parts[0]));
        JsonNode claims = Json.tree(URL.decode(parts[1]));
        boolean ours =
            header.path("alg").asText().equals("EdDSA")
                && KID.matcher(header.path("kid").asText()).matches()
                && claims.path("iss").asText().equals(ISSUER)
                && claims.path("sub").isTextual()
                && claims.path("epoch").isInt()
                && claims.path("project").isTextual();
        return ours
            ? new Token(
                header.path("kid").asText(),
                claims.path("sub").asText(),
                claims.path("epoch").intValue(),
                claims.path("project").asText(),
                (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII),
                URL.decode(parts[2]))
            : null;
      } catch (RuntimeException e) {
        return null; // Not Base64 or not JSON.
      }
    }

    boolean isSignedBy(LeaseKey key) {
      try {
        Signature verifier = Signature.getInstance(LeaseKey.ALGORITHM);
        verifier.initVerify(key.key());
        verifier.update(signed);
        return verifier.verify(signature);
      } catch (GeneralSecurityException e) {
        return false; // For example a signature of the wrong length.
      }
    }
  }
}
