/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.store.events.EventLog;
import dev.baton.store.events.StoredEvent;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Folds a run's stored events, page by page, on worker threads. Serves one request. */
final class RunFold {
  private final EventLog log;
  private final String run;
  private final long upTo;
  private final StateFold fold;
  private long position;

  /**
   * @param upTo the position of the last event to fold
   */
  RunFold(EventLog log, String run, long upTo) {
    this.log = log;
    this.run = run;
    this.upTo = upTo;
    fold = new StateFold(RunState.empty(run));
  }

  Uni<Folded> fold() {
    return log.page(run, position, upTo, EventLog.PAGE)
        .emitOn(Infrastructure.getDefaultExecutor())
        .chain(
            page -> {
              for (StoredEvent event : page) {
                event.typed().ifPresent(fold::accept);
                position = event.position();
              }
              return page.size() < EventLog.PAGE
                  ? Uni.createFrom().item(new Folded(fold.state(), position))
                  : fold();
            });
  }
}
