/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.lease;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rejects calls of runners that have no valid lease. Thread-safe. */
@ApplicationScoped
public class CallerLeaseGuard {
  private final LeaseAuthenticator leases;

  private final boolean identityRequired;

  CallerLeaseGuard(LeaseAuthenticator leases, StoreConfig config) {
    this.leases = leases;
    this.identityRequired = config.identity().required();
  }

  /** Whether events need a lease, too. */
  public boolean areRequired() {
    return leases.areRequired();
  }

  /**
   * Fails with FENCED if the lease is not valid for the caller, and with UNAVAILABLE if the key
   * cannot be fetched now.
   *
   * @param epoch of the calling runner; 0 for a service, which was authenticated before
   * @param project null if the call names none
   */
  public Uni<Void> require(String token, String run, int epoch, @Nullable String project) {
    if (epoch == 0) {
      return Uni.createFrom().voidItem();
    }
    return leases
        .learn(token.isEmpty() ? List.of() : List.of(token))
        .invoke(
            () -> {
              LeaseVerdict verdict = verdict(token, run, epoch, project);
              if (verdict instanceof LeaseVerdict.Refused refusal) {
                leases.refused("a call of epoch " + epoch, run, refusal);
                throw StoreRequestException.fenced(
                    "epoch %d of run %s: %s".formatted(epoch, run, refusal.message()));
              }
            });
  }

  private LeaseVerdict verdict(String token, String run, int epoch, @Nullable String project) {
    if (token.isEmpty() && identityRequired) {
      return new LeaseVerdict.Refused(
          LeaseVerdict.Reason.MISSING, "the runner has none; restart it to get one");
    }
    return project == null
        ? leases.check(token, run, epoch)
        : leases.check(token, run, epoch, project);
  }
}
