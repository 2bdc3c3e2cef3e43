/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.PacedSubscriber;
import io.smallrye.mutiny.Multi;
import jakarta.ws.rs.sse.OutboundSseEvent;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jboss.resteasy.reactive.server.jaxrs.SseImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SseKeepAliveTest {
  private final AtomicInteger read = new AtomicInteger();

  private Multi<OutboundSseEvent> stream(int items) {
    return SseKeepAlive.kept(
        new SseImpl(),
        Multi.createFrom().range(0, items).onItem().invoke(read::incrementAndGet),
        (builder, item) -> builder.data(String.class, item.toString()));
  }

  @Test
  void shouldReadNoFasterThanTheClient() throws Exception {
    PacedSubscriber<OutboundSseEvent> slow = new PacedSubscriber<>();
    stream(10_000).subscribe().withSubscriber(slow);
    assertThat(read.get()).isZero();

    slow.request(1);
    slow.awaitItems(1);
    assertThat(read.get()).isLessThanOrEqualTo(2);
    slow.request(9);
    slow.awaitItems(10);
    assertThat(read.get()).isLessThanOrEqualTo(11);

    slow.request(Long.MAX_VALUE);
    assertThat(slow.awaitEnd()).isNull();
    assertThat(slow.awaitItems(10_000).stream().map(OutboundSseEvent::getData))
        .filteredOn(Objects::nonNull)
        .containsExactlyElementsOf(IntStream.range(0, 10_000).mapToObj(Integer::toString).toList());
  }

  @Test
  void shouldKeepAnIdleStreamOpen() throws Exception {
    PacedSubscriber<OutboundSseEvent> idle = new PacedSubscriber<>();
    SseKeepAlive.<String>kept(
            new SseImpl(), Multi.createFrom().nothing(), (builder, item) -> builder)
        .subscribe()
        .withSubscriber(idle);
    idle.request(1);

    assertThat(idle.awaitItems(1).getFirst().getComment()).isNotNull();
    idle.cancel();
  }
}
