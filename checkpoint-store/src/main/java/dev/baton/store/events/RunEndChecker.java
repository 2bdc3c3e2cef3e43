/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.events;

import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.trace.EventTypeRegistry;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Set;

/**
 * Determines whether a run has ended by folding its events: a terminal event of a fenced runner
 * does not end the run.
 */
@ApplicationScoped
class RunEndChecker {
  private static final Set<String> TERMINAL =
      Set.of(
          EventTypeRegistry.PREFIX + "run_completed",
          EventTypeRegistry.PREFIX + "run_failed",
          EventTypeRegistry.PREFIX + "run_cancelled",
          EventTypeRegistry.PREFIX + "run_lost");

  private final StoredEventRepository log;

  RunEndChecker(StoredEventRepository log) {
    this.log = log;
  }

  /** Whether one of the events may end the run; if not, the caller can skip the fold. */
  static boolean isPossibleIn(List<StoredEvent> events) {
    return events.stream().anyMatch(event -> TERMINAL.contains(event.type()));
  }

  Uni<Boolean> hasEnded(String run) {
    return fold(run, RunHead.NONE, 0).map(RunHead::isEnded);
  }

  private Uni<RunHead> fold(String run, RunHead head, long after) {
    return log.page(run, after, Long.MAX_VALUE, StoredEventRepository.PAGE)
        .emitOn(Infrastructure.getDefaultExecutor())
        .chain(
            page -> {
              RunHead folded = head;
              for (StoredEvent event : page.events()) {
                var typed = event.typed();
                if (typed.isPresent()) {
                  folded = folded.apply(typed.get()).head();
                }
              }
              return page.last()
                  ? Uni.createFrom().item(folded)
                  : fold(run, folded, page.events().getLast().position());
            });
  }
}
