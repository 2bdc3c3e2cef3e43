/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.oidc.testkit.OidcTestIssuer;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Drives the cache by a clock and a source of the test. */
class IssuerKeyCacheTest {
  private final AtomicLong now = new AtomicLong();
  private final Map<String, IssuerKey> published = new HashMap<>();
  private int fetches;
  private boolean down;
  private final IssuerKeyCache cache = new IssuerKeyCache(this::fetch, now::get);

  private Uni<Map<String, IssuerKey>> fetch() {
    fetches++;
    return down
        ? Uni.createFrom().failure(new IssuerUnavailableException("it is down", null))
        : Uni.createFrom().item(Map.copyOf(published));
  }

  private void publish(String kid) {
    published.put(kid, new IssuerKey(kid, OidcTestIssuer.rsa().getPublicKey(), Optional.empty()));
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private boolean has(String kid) {
    return cache.key(kid).await().atMost(Duration.ofSeconds(5)).isPresent();
  }

  @Test
  void shouldFetchOnceForKnownKeysAndAgainForAnUnknownOne() {
    publish("a");
    assertThat(has("a")).isTrue();
    assertThat(has("a")).isTrue();
    assertThat(fetches).isEqualTo(1);

    publish("b");

    assertThat(has("b")).isTrue();
    assertThat(fetches).isEqualTo(2);
  }

  @Test
  void shouldNotFetchAgainForAKeyThatDoesNotExist() {
    publish("a");
    assertThat(has("made-up")).isFalse();
    assertThat(has("made-up")).isFalse();
    assertThat(fetches).isEqualTo(1);

    pass(IssuerKeyCache.ABSENT);
    publish("made-up");

    assertThat(has("made-up")).isTrue();
  }

  @Test
  void shouldBoundFetchesForMadeUpKeys() {
    publish("a");
    for (int i = 0; i < IssuerKeyCache.BURST; i++) {
      assertThat(has("made-up " + i)).isFalse();
    }

    assertThatThrownBy(() -> has("one more")).isInstanceOf(IssuerUnavailableException.class);
    assertThat(has("a")).as("a known key").isTrue();
    assertThat(fetches).isEqualTo(IssuerKeyCache.BURST);

    pass(IssuerKeyCache.EVERY);
    assertThat(has("one more")).isFalse();
    assertThatThrownBy(() -> has("and another")).isInstanceOf(IssuerUnavailableException.class);
    assertThat(fetches).isEqualTo(IssuerKeyCache.BURST + 1);
  }

  @Test
  void shouldUseKnownKeysWhileTheIssuerIsDownForABoundedTime() {
    publish("a");
    assertThat(has("a")).isTrue();
    down = true;

    pass(IssuerKeyCache.USABLE);
    assertThat(has("a")).isTrue();
    assertThatThrownBy(() -> has("unknown"))
        .isInstanceOf(IssuerUnavailableException.class)
        .hasMessageContaining("it is down");

    pass(Duration.ofSeconds(1));
    assertThatThrownBy(() -> has("a")).isInstanceOf(IssuerUnavailableException.class);

    down = false;
    pass(IssuerKeyCache.EVERY);
    assertThat(has("a")).isTrue();
  }

  @Test
  void shouldForgetAKeyThatTheIssuerNoLongerPublishes() {
    publish("a");
    publish("b");
    assertThat(has("a")).isTrue();
    published.remove("a");

    pass(IssuerKeyCache.REFRESH.plusSeconds(1));
    // Fetches in the background.
    assertThat(has("b")).isTrue();

    assertThat(has("a")).isFalse();
  }

  @Test
  void shouldShareOneFetch() {
    CompletableFuture<Map<String, IssuerKey>> answer = new CompletableFuture<>();
    IssuerKeyCache shared =
        new IssuerKeyCache(
            () -> {
              fetches++;
              return Uni.createFrom().completionStage(answer);
            },
            now::get);
    CompletableFuture<Optional<IssuerKey>> one = shared.key("a").subscribeAsCompletionStage();
    CompletableFuture<Optional<IssuerKey>> two = shared.key("b").subscribeAsCompletionStage();

    publish("a");
    answer.complete(Map.copyOf(published));

    assertThat(one.join()).isPresent();
    assertThat(two.join()).isEmpty();
    assertThat(fetches).isEqualTo(1);
  }
}
