/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Property(tries = 300)
  void shouldKeepEachDelayBetweenHalfItsBoundAndItsBound(
      @ForAll @LongRange(min = 1, max = 60_000_000_000L) long first,
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE / 2) long more,
      @ForAll long seed) {
    long longest = first + more;
    Backoff backoff =
        Backoff.seeded(Duration.ofNanos(first), Duration.ofNanos(longest), new Random(seed));
    long bound = first;
    for (int i = 0; i < 80; i++) {
      assertThat(backoff.next().toNanos()).isBetween(bound / 2, bound);
      bound = bound > longest / 2 ? longest : bound * 2;
    }
    backoff.reset();
    assertThat(backoff.next().toNanos()).isBetween(first / 2, first);
  }

  @Test
  void shouldGiveDifferentDelaysToCallersThatFailTogether() {
    Set<Duration> delays = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      delays.add(Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(30)).next());
    }
    assertThat(delays).hasSizeGreaterThan(95);
  }

  @Property(tries = 100)
  void shouldBoundTheDelayOfEachRetry(@ForAll @IntRange(min = 1, max = 200) int retry) {
    Duration first = Duration.ofMillis(100);
    Duration longest = Duration.ofMillis(6_400);

    long expected = retry > 6 ? 6_400 : 100L << (retry - 1);

    assertThat(Backoff.bound(first, longest, retry)).isEqualTo(Duration.ofMillis(expected));
    assertThat(Backoff.delay(first, longest, retry))
        .isBetween(Duration.ofMillis(expected / 2), Duration.ofMillis(expected));
  }

  @Test
  void shouldAddNoJitterToZero() {
    assertThat(Backoff.jittered(Duration.ZERO)).isZero();
    assertThat(Backoff.jittered(Duration.ofSeconds(1)))
        .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
  }

  @Test
  void shouldRefuseARetryBelowOne() {
    assertThatThrownBy(() -> Backoff.delay(Duration.ofMillis(1), Duration.ofSeconds(1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("backoff: retry 0 is not 1 or more");
  }

  @Test
  void shouldRefuseBoundsWithoutAnOrder() {
    assertThatThrownBy(() -> Backoff.constant(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("first delay PT0S");
    assertThatThrownBy(() -> Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNotWaitForADelayThatEndsTooLate() throws Exception {
    Backoff backoff = Backoff.constant(Duration.ofMillis(20));

    assertThat(backoff.pauseBefore(System.nanoTime() + Duration.ofMinutes(1).toNanos())).isTrue();

    long began = System.nanoTime();
    assertThat(Backoff.constant(Duration.ofMinutes(1)).pauseBefore(began + 1_000_000)).isFalse();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }
}
