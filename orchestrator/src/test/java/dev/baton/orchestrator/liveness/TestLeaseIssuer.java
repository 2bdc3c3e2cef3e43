/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseKey;
import dev.baton.lease.LeaseKeySource;
import dev.baton.lease.LeaseTokenCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Issues leases with a key of its own. */
final class TestLeaseIssuer {
  private final KeyPair pair;
  private final LeaseKey key;

  TestLeaseIssuer() {
    try {
      pair = KeyPairGenerator.getInstance(LeaseKey.ALGORITHM).generateKeyPair();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    key = LeaseKey.of(pair.getPublic().getEncoded());
  }

  String lease(String run, int epoch) {
    return LeaseTokenCodec.sign(pair.getPrivate(), key, run, epoch, "default", Instant.EPOCH);
  }

  /** Signs a lease with this key but names the key of another issuer. */
  String forged(TestLeaseIssuer of, String run, int epoch) {
    return LeaseTokenCodec.sign(pair.getPrivate(), of.key, run, epoch, "default", Instant.EPOCH);
  }

  /** Returns a verifier that has the keys of these issuers, and requires no lease. */
  static HeartbeatAuthenticator authenticator(TestLeaseIssuer... issuers) {
    Map<String, LeaseKey> keys =
        Arrays.stream(issuers)
            .map(issuer -> issuer.key)
            .collect(Collectors.toMap(LeaseKey::kid, Function.identity()));
    LeaseKeySource source =
        new LeaseKeySource() {
          @Override
          public Uni<Map<String, LeaseKey>> initial() {
            return fetch();
          }

          @Override
          public Uni<Map<String, LeaseKey>> fetch() {
            return Uni.createFrom().item(keys);
          }

          @Override
          public boolean isRemote() {
            return false;
          }
        };
    LeaseAuthenticator leases =
        new LeaseAuthenticator(source, false, new SimpleMeterRegistry(), "refused");
    leases.start().await().atMost(Duration.ofSeconds(1));
    return new HeartbeatAuthenticator(leases);
  }
}
