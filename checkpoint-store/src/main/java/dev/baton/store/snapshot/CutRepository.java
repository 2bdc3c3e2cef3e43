/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.store.events.StoredEventRepository;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny;

/** Returns a run's workspace cuts, newest first, without those of fenced runners. */
@ApplicationScoped
public class CutRepository {
  // Native SQL: the first HQL query would load and run the whole parser on the event loop.
  private static final String NEWEST_FIRST =
      "SELECT * FROM store.cut WHERE run = :run ORDER BY position DESC";

  private final Mutiny.SessionFactory sessions;
  private final StoredEventRepository log;

  CutRepository(Mutiny.SessionFactory sessions, StoredEventRepository log) {
    this.sessions = sessions;
    this.log = log;
  }

  /** Must be called on a Vert.x context, as Hibernate Reactive requires. */
  public Uni<List<CutEntity>> of(String run) {
    return sessions
        .withSession(
            session ->
                session
                    .createNativeQuery(NEWEST_FIRST, CutEntity.class)
                    .setParameter("run", run)
                    .getResultList())
        .chain(
            cuts ->
                log.control(run)
                    .map(
                        control -> {
                          List<EpochStart> fences = EpochStart.in(control);
                          return cuts.stream().filter(cut -> isWithin(cut, fences)).toList();
                        }));
  }

  /** Whether a runner's event is valid: no fence of a newer epoch precedes it. */
  public Uni<Boolean> counts(String run, int epoch, long position) {
    return log.control(run)
        .map(
            control ->
                EpochStart.in(control).stream()
                    .noneMatch(fence -> fence.epoch() > epoch && fence.position() < position));
  }

  private static boolean isWithin(CutEntity cut, List<EpochStart> fences) {
    return fences.stream()
        .noneMatch(fence -> fence.epoch() > cut.epoch() && fence.position() < cut.position());
  }
}
