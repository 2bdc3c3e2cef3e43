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
import io.smallrye.mutiny.subscription.MultiEmitter;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

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
   * first message. Reads the stream no faster than the client. Ends with the stream.
   *
   * @param describe fills the event's fields
   */
  static <T> Multi<OutboundSseEvent> kept(
      Sse sse,
      Multi<T> items,
      BiFunction<OutboundSseEvent.Builder, T, OutboundSseEvent.Builder> describe) {
    return Multi.createFrom()
        .deferred(
            () -> {
              PacedItems<T> paced = new PacedItems<>(sse, describe);
              return Multi.createFrom()
                  .<OutboundSseEvent>emitter(out -> paced.start(items, out))
                  .onRequest()
                  .invoke(paced::requested);
            });
  }

  /**
   * Requests the next item when the client has read the earlier ones, and drops comments while it
   * has not. Holds one item and one comment at most.
   */
  private static final class PacedItems<T> {
    private final Sse sse;
    private final BiFunction<OutboundSseEvent.Builder, T, OutboundSseEvent.Builder> describe;
    private final AtomicBoolean begun = new AtomicBoolean();
    private Flow.@Nullable Subscription source;
    private long demand;

    /** Whether a requested item has not arrived yet. */
    private boolean awaited;

    PacedItems(
        Sse sse, BiFunction<OutboundSseEvent.Builder, T, OutboundSseEvent.Builder> describe) {
      this.sse = sse;
      this.describe = describe;
    }

    void start(Multi<T> items, MultiEmitter<? super OutboundSseEvent> out) {
      Cancellable comments =
          Multi.createFrom()
              .ticks()
              .startingAfter(FIRST)
              .every(EVERY)
              .onOverflow()
              .drop()
              .subscribe()
              .with(tick -> comment(out));
      out.onTermination(
          () -> {
            comments.cancel();
            cancel();
          });
      items
          .subscribe()
          .with(
              this::subscribed,
              item -> {
                arrived();
                out.emit(describe.apply(builder(sse, begun), item).build());
                proceed();
              },
              out::fail,
              out::complete);
    }

    private void comment(MultiEmitter<? super OutboundSseEvent> out) {
      synchronized (this) {
        if (demand <= 0) {
          return; // The client reads slowly, so the connection is not idle.
        }
        demand--;
      }
      out.emit(builder(sse, begun).comment("").build());
    }

    private void subscribed(Flow.Subscription subscription) {
      synchronized (this) {
        source = subscription;
      }
      proceed();
    }

    void requested(long items) {
      synchronized (this) {
        demand = demand + items < 0 ? Long.MAX_VALUE : demand + items;
      }
      proceed();
    }

    private synchronized void arrived() {
      awaited = false;
      if (demand < Long.MAX_VALUE) {
        demand--;
      }
    }

    private void proceed() {
      Flow.Subscription next;
      synchronized (this) {
        if (demand <= 0 || awaited || source == null) {
          return;
        }
        awaited = true;
        next = source;
      }
      next.request(1);
    }

    private void cancel() {
      Flow.Subscription last;
      synchronized (this) {
        last = source;
      }
      if (last != null) {
        last.cancel();
      }
    }
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
