/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.lease.LeaseVerdict.Granted;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeaseAuthenticatorTest {
  private static final String RUN = "01hzy3v9k3x8m2q4r6t8w0y1z2";

  private final KeyPair pair = LeaseVerifierTest.pair();
  private final LeaseKey key = LeaseKey.of(pair.getPublic().getEncoded());
  private final String token =
      LeaseTokenCodec.sign(pair.getPrivate(), key, RUN, 1, "default", Instant.EPOCH);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos = 1;

  /** A source whose keys and availability a test sets. */
  private static final class TestKeySource implements LeaseKeySource {
    final boolean remote;
    Map<String, LeaseKey> keys = Map.of();
    boolean isUp = true;
    int fetches;

    TestKeySource(boolean remote) {
      this.remote = remote;
    }

    @Override
    public Uni<Map<String, LeaseKey>> initial() {
      return Uni.createFrom().item(keys);
    }

    @Override
    public Uni<Map<String, LeaseKey>> fetch() {
      fetches++;
      return isUp
          ? Uni.createFrom().item(keys)
          : Uni.createFrom().failure(new IllegalStateException("down"));
    }

    @Override
    public boolean isRemote() {
      return remote;
    }
  }

  private LeaseAuthenticator authenticator(TestKeySource source) {
    LeaseAuthenticator leases =
        new LeaseAuthenticator(source, true, metrics, "refused", () -> nanos);
    leases.start().await().indefinitely();
    return leases;
  }

  private void pass(Duration time) {
    nanos += time.toNanos() + 1;
  }

  private static void learn(LeaseAuthenticator leases, String token) {
    leases.learn(List.of(token)).await().indefinitely();
  }

  @Test
  void shouldFetchAKeyThatItDoesNotHave() {
    for (boolean remote : new boolean[] {true, false}) {
      TestKeySource source = new TestKeySource(remote);
      LeaseAuthenticator leases = authenticator(source);
      source.keys = Map.of(key.kid(), key);

      learn(leases, token);

      assertThat(leases.check(token, RUN, 1)).isInstanceOf(Granted.class);
      assertThat(source.fetches).isEqualTo(1);
      learn(leases, token);
      assertThat(source.fetches).isEqualTo(1);
    }
  }

  @Test
  void shouldFailWhileTheSourceOfAMissingKeyIsDown() {
    for (boolean remote : new boolean[] {true, false}) {
      TestKeySource source = new TestKeySource(remote);
      LeaseAuthenticator leases = authenticator(source);
      source.isUp = false;

      assertThatThrownBy(() -> learn(leases, token)).hasMessage("down");
    }
  }

  @Test
  void shouldNotAskARemoteSourceAtOnceForAKeyThatItDidNotHave() {
    TestKeySource source = new TestKeySource(true);
    LeaseAuthenticator leases = authenticator(source);
    learn(leases, token);
    learn(leases, token);
    assertThat(source.fetches).isEqualTo(1);

    pass(LeaseAuthenticator.ABSENT);
    source.keys = Map.of(key.kid(), key);
    learn(leases, token);

    assertThat(leases.check(token, RUN, 1)).isInstanceOf(Granted.class);
  }

  @Test
  void shouldAskALocalSourceForEachUnknownKey() {
    TestKeySource source = new TestKeySource(false);
    LeaseAuthenticator leases = authenticator(source);
    learn(leases, token);

    source.keys = Map.of(key.kid(), key);
    learn(leases, token);

    assertThat(leases.check(token, RUN, 1)).isInstanceOf(Granted.class);
  }

  @Test
  void shouldForgetARemovedKeyAfterTheRefreshInterval() {
    for (boolean remote : new boolean[] {true, false}) {
      TestKeySource source = new TestKeySource(remote);
      source.keys = Map.of(key.kid(), key);
      LeaseAuthenticator leases = authenticator(source);
      source.keys = Map.of();
      learn(leases, token);
      assertThat(leases.check(token, RUN, 1)).isInstanceOf(Granted.class);

      pass(LeaseAuthenticator.REFRESH);
      learn(leases, token);

      assertThat(leases.check(token, RUN, 1))
          .isInstanceOfSatisfying(
              Refused.class, refusal -> assertThat(refusal.reason()).isEqualTo(Reason.UNKNOWN_KEY));
    }
  }

  @Test
  void shouldKeepKnownKeysOnlyWhileARemoteSourceIsDown() {
    TestKeySource remote = new TestKeySource(true);
    TestKeySource local = new TestKeySource(false);
    remote.keys = Map.of(key.kid(), key);
    local.keys = remote.keys;
    LeaseAuthenticator ofRemote = authenticator(remote);
    LeaseAuthenticator ofLocal = authenticator(local);
    remote.isUp = false;
    local.isUp = false;
    pass(LeaseAuthenticator.REFRESH);

    learn(ofRemote, token);
    learn(ofRemote, token);

    assertThat(ofRemote.check(token, RUN, 1)).isInstanceOf(Granted.class);
    assertThat(remote.fetches).as("one for each refresh interval").isEqualTo(1);
    assertThatThrownBy(() -> learn(ofLocal, token)).hasMessage("down");
  }

  @Test
  void shouldCountRefusalsByReason() {
    LeaseAuthenticator leases = authenticator(new TestKeySource(false));
    Refused refusal = (Refused) leases.check("x", RUN, 1);

    leases.refused("event 1", RUN, refusal);
    leases.refused("event 2", RUN, refusal);

    assertThat(metrics.get("refused").tag("reason", "malformed").counter().count()).isEqualTo(2);
    assertThat(metrics.get("refused").tag("reason", "missing").counter().count()).isZero();
    assertThat(refusal.message()).startsWith("lease refused (malformed): ");
  }
}
