/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.PacedSubscriber;
import io.smallrye.mutiny.Multi;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallReadinessTest {
  @Test
  void shouldRequestAnItemOnlyWhenTheClientCanTakeIt() throws Exception {
    AtomicBoolean ready = new AtomicBoolean();
    AtomicLong requested = new AtomicLong();
    CallReadiness readiness = new CallReadiness(ready::get);
    PacedSubscriber<Integer> subscriber = new PacedSubscriber<>();
    readiness
        .paced(
            Multi.createFrom()
                .range(0, 5)
                .onItem()
                .invoke(item -> ready.set(item >= 2))
                .onRequest()
                .invoke(requested::addAndGet))
        .subscribe()
        .withSubscriber(subscriber);
    subscriber.request(Long.MAX_VALUE);

    assertThat(requested).hasValue(0);
    for (int items = 1; items <= 2; items++) {
      ready.set(true);
      readiness.changed();
      assertThat(subscriber.awaitItems(items)).hasSize(items);
      assertThat(requested).hasValue(items);
    }
    ready.set(true);
    readiness.changed();
    assertThat(subscriber.awaitEnd()).isNull();
    assertThat(subscriber.awaitItems(5)).containsExactly(0, 1, 2, 3, 4);
  }
}
