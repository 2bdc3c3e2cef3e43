/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.LeaseTokenCodec.UnverifiedToken;
import dev.baton.lease.LeaseVerdict.Granted;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
  private static final int KEPT = 10_000;

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
          && LeaseTokenCodec.read(token) instanceof UnverifiedToken read
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

  /** Caches the verdict of a token that this process has just signed with one of the keys. */
  public void issued(String token, Granted granted) {
    String kid = LeaseTokenCodec.kid(token);
    synchronized (verified) {
      if (kid != null && keys.containsKey(kid)) {
        verified.put(token, granted);
      }
    }
  }

  private LeaseVerdict verify(String token) {
    LeaseVerdict kept = kept(token);
    if (kept != null) {
      return kept;
    }
    UnverifiedToken read = LeaseTokenCodec.read(token);
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
}
