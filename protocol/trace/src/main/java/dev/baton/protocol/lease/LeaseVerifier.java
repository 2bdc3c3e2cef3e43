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
 * Verifies lease tokens. A signature is verified once: what it vouches for is kept, for {@value
 * #KEPT} tokens, so that an event costs a look into a map. Thread-safe; never blocks.
 *
 * <p>Keys come from outside: {@link #unknownKeys} names those that are missing, {@link #keys}
 * brings them. Whoever decides what becomes part of a run's state must look for them before it
 * takes a token for one of an unknown key, or two readers of one log would decide differently.
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
   * @param required whether what comes without a token is refused
   */
  public LeaseVerifier(boolean required) {
    this.required = required;
  }

  public boolean isRequired() {
    return required;
  }

  /** From now on these, and no others, count. */
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

  /** The keys that these tokens name and that are not known. */
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
   * Whether the sender may act for this run and epoch.
   *
   * @param token null or empty for none
   */
  public LeaseVerdict check(@Nullable String token, String run, int epoch) {
    if (token == null || token.isEmpty()) {
      return required
          ? new Refused(Reason.MISSING, "no lease came with it, and leases are required here")
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

  /** {@link #check}, of one who also names a project. */
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
      return new Refused(Reason.MALFORMED, "its lease is no token of Baton's");
    }
    LeaseKey key = keys.get(read.kid());
    if (key == null) {
      return new Refused(
          Reason.UNKNOWN_KEY, "its lease is signed by an unknown key, '%s'".formatted(read.kid()));
    }
    LeaseVerdict verdict =
        read.isSignedBy(key)
            ? new Granted(read.run(), read.epoch(), read.project())
            : new Refused(Reason.BAD_SIGNATURE, "the signature of its lease is wrong");
    synchronized (verified) {
      // The key may have been taken away while the signature was looked at.
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

    /** Null when it is none. */
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
        return null; // Neither Base64 nor JSON: whatever it is, it is no token.
      }
    }

    boolean isSignedBy(LeaseKey key) {
      try {
        Signature verifier = Signature.getInstance(LeaseKey.ALGORITHM);
        verifier.initVerify(key.key());
        verifier.update(signed);
        return verifier.verify(signature);
      } catch (GeneralSecurityException e) {
        return false; // A signature of a wrong length is an exception, not a no.
      }
    }
  }
}
