/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.events;

import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.trace.StoredEventNotifier;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;

/**
 * Streams a run's events in log order: the stored ones and, with {@code follow}, later ones until
 * the run has ended. Delivers each event exactly once, since the stream only reads from Postgres,
 * from its last position on.
 */
@ApplicationScoped
public class EventStreamService {
  /** Bounds the wait for an event that another replica stored. */
  private static final Duration POLL = Duration.ofMillis(500);

  /** How long a follower waits for the first event of a run that may just have been created. */
  private static final Duration BIRTH = Duration.ofSeconds(15);

  private final StoredEventRepository log;
  private final RunEndChecker ending;
  private final StoredEventNotifier wakeups;

  EventStreamService(StoredEventRepository log, RunEndChecker ending, StoredEventNotifier wakeups) {
    this.log = log;
    this.ending = ending;
    this.wakeups = wakeups;
  }

  /**
   * Streams events; reads a page only when its events are requested.
   *
   * @param after a position; 0 for all
   * @param limit maximum number of events; 0 for no limit
   */
  public Multi<StoredEvent> stream(String run, long after, boolean follow, long limit) {
    return Multi.createBy()
        .repeating()
        .uni(() -> new Cursor(run, after, follow, limit), Cursor::next)
        .until(Step::ended)
        .onItem()
        .transformToIterable(Step::events);
  }

  /**
   * @param ended the stream is complete; this step has no events
   */
  private record Step(List<StoredEvent> events, boolean ended) {}

  private static final Step END = new Step(List.of(), true);
  private static final Step NOTHING_YET = new Step(List.of(), false);

  /** The position of one stream. Used by one subscription, which requests one step at a time. */
  private final class Cursor {
    private final String run;
    private final boolean follow;
    private final long deadline = System.nanoTime() + BIRTH.toNanos();
    private long position;
    private long left;
    private boolean mayHaveEnded;
    private boolean idle;

    Cursor(String run, long after, boolean follow, long limit) {
      this.run = run;
      this.follow = follow;
      position = after;
      left = limit == 0 ? Long.MAX_VALUE : limit;
      mayHaveEnded = after > 0;
    }

    Uni<Step> next() {
      if (left == 0) {
        return Uni.createFrom().item(END);
      }
      StoredEventNotifier.Waiter waiter = wakeups.expect(run);
      return log.page(
              run, position, Long.MAX_VALUE, (int) Math.min(left, StoredEventRepository.PAGE))
          .map(StoredEventRepository.Page::events)
          .chain(page -> page.isEmpty() ? atTheEnd(waiter) : take(page))
          .eventually(waiter::cancel);
    }

    private Uni<Step> take(List<StoredEvent> page) {
      position = page.getLast().position();
      left -= page.size();
      mayHaveEnded |= RunEndChecker.isPossibleIn(page);
      idle = false;
      return Uni.createFrom().item(new Step(page, false));
    }

    private Uni<Step> atTheEnd(StoredEventNotifier.Waiter waiter) {
      if (!follow) {
        return Uni.createFrom().item(END);
      }
      if (position == 0 && System.nanoTime() > deadline) {
        return Uni.createFrom()
            .failure(StoreRequestException.notFound("run " + run + " has no events"));
      }
      if (!mayHaveEnded) {
        return waiter.await(POLL).replaceWith(NOTHING_YET);
      }
      return ending
          .hasEnded(run)
          .chain(
              ended -> {
                // Events may have arrived between the empty page and the fold: read once more.
                if (ended && idle) {
                  return Uni.createFrom().item(END);
                }
                idle = ended;
                mayHaveEnded = ended;
                return Uni.createFrom().item(NOTHING_YET);
              });
    }
  }
}
