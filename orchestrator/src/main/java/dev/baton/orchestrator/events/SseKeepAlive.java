/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.Cancellable;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/**
 * Keeps a stream of server-sent events open through proxies that close idle connections, and parses
 * the position at which a reconnecting client resumes.
 */
final class SseKeepAlive {
  static final String LAST_EVENT_ID = "Last-Event-ID";

  /** The client's delay before it reconnects. */
  static final long RETRY_MS = 2_000;

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration EVERY = Duration.ofSeconds(15);

  private SseKeepAlive() {}

  /**
   * Adds comments to a stream, the first after 1 s, then every 15 s, and the reconnect delay to the
   * first message. Ends with the stream.
   *
   * @param describe fills the event's fields
   */
  static <T> Multi<OutboundSseEvent> kept(
      Sse sse,
      Multi<T> items,
      BiFunction<OutboundSseEvent.Builder, T, OutboundSseEvent.Builder> describe) {
    return Multi.createFrom()
        .emitter(
            out -> {
              AtomicBoolean begun = new AtomicBoolean();
              Cancellable comments =
                  Multi.createFrom()
                      .ticks()
                      .startingAfter(FIRST)
                      .every(EVERY)
                      .onOverflow()
                      .drop()
                      .subscribe()
                      .with(tick -> out.emit(builder(sse, begun).comment("").build()));
              Cancellable events =
                  items
                      .subscribe()
                      .with(
                          item -> out.emit(describe.apply(builder(sse, begun), item).build()),
                          out::fail,
                          out::complete);
              out.onTermination(
                  () -> {
                    comments.cancel();
                    events.cancel();
                  });
            });
  }

  private static OutboundSseEvent.Builder builder(Sse sse, AtomicBoolean begun) {
    OutboundSseEvent.Builder builder = sse.newEventBuilder();
    return begun.getAndSet(true) ? builder : builder.reconnectDelay(RETRY_MS);
  }

  /**
   * @throws ProblemException when the value is not a position
   */
  static long position(String lastEventId) {
    try {
      long position = Long.parseLong(lastEventId);
      if (position >= 0) {
        return position;
      }
    } catch (NumberFormatException notANumber) {
      throw bad(lastEventId);
    }
    throw bad(lastEventId);
  }

  private static ProblemException bad(String value) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER,
        LAST_EVENT_ID
            + " '"
            + value
            + "' is not a position; allowed: the id of an event of this run");
  }
}
