/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.junit.jupiter.api.Test;

class ServiceTokenAuthenticatorTest {
  private static final String STORE = "checkpoint-store";
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private final KeyPair pair = LeaseVerifierTest.pair();
  private final LeaseKey key = LeaseKey.of(pair.getPublic().getEncoded());
  private Map<String, LeaseKey> published = Map.of(key.kid(), key);
  private boolean isSourceUp = true;
  private int fetches;
  private Instant now = NOW;

  private final LeaseAuthenticator leases =
      new LeaseAuthenticator(
          new LeaseKeySource() {
            @Override
            public Uni<Map<String, LeaseKey>> initial() {
              return Uni.createFrom().item(Map.of());
            }

            @Override
            public Uni<Map<String, LeaseKey>> fetch() {
              fetches++;
              return isSourceUp
                  ? Uni.createFrom().item(published)
                  : Uni.createFrom().failure(new IllegalStateException("down"));
            }

            @Override
            public boolean isRemote() {
              return true;
            }
          },
          true,
          new SimpleMeterRegistry(),
          "refused",
          () -> 1);
  private final ServiceTokenAuthenticator services =
      new ServiceTokenAuthenticator(leases, STORE, () -> now);

  private Optional<String> authenticate(String token) {
    return services.authenticate(token).await().indefinitely();
  }

  private String token() {
    return ServiceTokenCodec.sign(pair.getPrivate(), key, "orchestrator", STORE, NOW);
  }

  /** Signs claims of the test's own choice with the published key. */
  private String token(String type, Instant issued, Instant expires, String... audiences) {
    JwtClaims claims = new JwtClaims();
    claims.setIssuer("baton");
    claims.setSubject("orchestrator");
    claims.setAudience(audiences);
    claims.setIssuedAt(NumericDate.fromSeconds(issued.getEpochSecond()));
    claims.setExpirationTime(NumericDate.fromSeconds(expires.getEpochSecond()));
    return SignedTokenFormat.sign(pair.getPrivate(), key, type, claims);
  }

  @Test
  void shouldReturnTheServiceOfAToken() {
    assertThat(authenticate(token())).contains("orchestrator");
    assertThat(authenticate(token())).contains("orchestrator");
    assertThat(fetches).isEqualTo(1);
  }

  @Test
  void shouldRefuseATokenAfterItsTime() {
    assertThat(authenticate(token())).isPresent();

    now = NOW.plus(ServiceTokenCodec.VALIDITY).plus(ServiceTokenCodec.MAX_SKEW);
    assertThat(authenticate(token())).isEmpty();
    now = NOW.minus(ServiceTokenCodec.MAX_SKEW).minusSeconds(1);
    assertThat(authenticate(token())).isEmpty();
  }

  @Test
  void shouldRefuseATokenThatHoldsLongerThanAllowed() {
    Instant end = NOW.plus(ServiceTokenCodec.VALIDITY);

    assertThat(authenticate(token("baton-service+jwt", NOW, end, STORE))).isPresent();
    assertThat(authenticate(token("baton-service+jwt", NOW, end.plusSeconds(1), STORE))).isEmpty();
  }

  @Test
  void shouldRefuseATokenForAnotherService() {
    Instant end = NOW.plus(Duration.ofMinutes(1));

    assertThat(authenticate(token("baton-service+jwt", NOW, end, "orchestrator"))).isEmpty();
    assertThat(authenticate(token("baton-service+jwt", NOW, end, STORE, "other"))).isEmpty();
    assertThat(authenticate(token("baton-service+jwt", NOW, end))).isEmpty();
  }

  @Test
  void shouldNotTakeALeaseForAServiceTokenNorTheReverse() {
    String lease = LeaseTokenCodec.sign(pair.getPrivate(), key, "run", 1, STORE, NOW);

    assertThat(authenticate(lease)).isEmpty();
    assertThat(LeaseTokenCodec.read(lease)).isNotNull();
    assertThat(LeaseTokenCodec.read(token())).isNull();
    assertThat(authenticate(token("JWT", NOW, NOW.plusSeconds(60), STORE))).isEmpty();
  }

  @Test
  void shouldRefuseWhatIsNotSignedWithAPublishedKey() {
    KeyPair other = LeaseVerifierTest.pair();
    LeaseKey unpublished = LeaseKey.of(other.getPublic().getEncoded());
    String foreign =
        ServiceTokenCodec.sign(other.getPrivate(), unpublished, "orchestrator", STORE, NOW);
    String forged = ServiceTokenCodec.sign(other.getPrivate(), key, "orchestrator", STORE, NOW);

    assertThat(authenticate(foreign)).isEmpty();
    assertThat(authenticate(forged)).isEmpty();
    assertThat(authenticate("")).isEmpty();
    assertThat(authenticate("a.b.c")).isEmpty();
    assertThat(authenticate(token().substring(0, token().length() - 1))).isEmpty();
    assertThat(authenticate(token())).isPresent();
  }

  @Test
  void shouldRefuseATokenWhoseKeyWasRemoved() {
    assertThat(authenticate(token())).isPresent();

    published = Map.of();
    KeyPair other = LeaseVerifierTest.pair();
    authenticate(
        ServiceTokenCodec.sign(
            other.getPrivate(), LeaseKey.of(other.getPublic().getEncoded()), "x", STORE, NOW));

    assertThat(authenticate(token())).isEmpty();
  }

  @Test
  void shouldFailWhileItsKeyIsUnknownAndTheSourceIsDown() {
    isSourceUp = false;
    assertThatThrownBy(() -> authenticate(token())).isInstanceOf(IllegalStateException.class);

    isSourceUp = true;
    assertThat(authenticate(token())).isPresent();
    isSourceUp = false;
    assertThat(authenticate(token())).isPresent();
  }
}
