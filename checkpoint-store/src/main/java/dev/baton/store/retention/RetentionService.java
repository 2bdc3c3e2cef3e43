/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.retention;

import dev.baton.server.PeriodicTask;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.forks.ForkPreparer;
import dev.baton.store.scheduling.Await;
import dev.baton.store.snapshot.RequiredCheckpoints;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the checkpoints that the {@link RetentionPolicy} does not keep, except pinned ones and
 * those that a run may still need to resume.
 */
@ApplicationScoped
public class RetentionService {
  private static final Logger LOG = Logger.getLogger(RetentionService.class);

  /** Maximum number of deleted checkpoints that a report lists. */
  private static final int MOST_NAMED = 10_000;

  static final String RUNS =
      """
      SELECT run, min(project), min(workflow) FROM store.checkpoint
      WHERE run > $1 AND NOT deleting GROUP BY run ORDER BY run LIMIT 500""";

  static final String ONE =
      """
      SELECT run, min(project), min(workflow) FROM store.checkpoint
      WHERE run = $1 AND NOT deleting GROUP BY run""";

  static final String OF_RUN =
      """
      SELECT c.id, c.trigger, c.created_at,
        c.pinned_at IS NOT NULL
      FROM store.checkpoint c WHERE c.run = $1 AND NOT c.deleting""";

  // Those whose event is not stored: the consumer of the trace may be behind.
  static final String UNSEEN =
      """
      SELECT c.id FROM store.checkpoint c WHERE c.run = $1 AND NOT c.deleting
        AND NOT EXISTS (SELECT FROM store.cut e WHERE e.run = c.run AND e.checkpoint = c.id)""";

  /**
   * @param spared expired, but kept because of a pin or because their run may still need them
   */
  public record Report(long runs, long kept, List<String> deleted, long spared) {}

  private final Pool pool;
  private final RequiredCheckpoints needs;
  private final ForkPreparer forks;
  private final CheckpointDeleter deletion;
  private final StoreConfig.Retention config;
  private final Counter deleted;
  private @Nullable PeriodicTask loop;

  RetentionService(
      Pool pool,
      RequiredCheckpoints needs,
      ForkPreparer forks,
      CheckpointDeleter deletion,
      StoreConfig config,
      MeterRegistry registry) {
    this.pool = pool;
    this.needs = needs;
    this.forks = forks;
    this.deletion = deletion;
    this.config = config.retention();
    deleted = registry.counter("baton.store.retention.deleted");
  }

  void onStart(@Observes StartupEvent event) {
    if (config.enabled()) {
      loop = PeriodicTask.start("retention", config.interval(), () -> run("", false));
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  /**
   * Runs one pass. Blocks.
   *
   * @param only this run; empty for all
   */
  public Report run(String only, boolean dryRun) {
    if (!dryRun) {
      deletion.finish();
      forks.abandoned().forEach(this::forget);
    }
    Tally tally = new Tally(now(), dryRun);
    if (!only.isEmpty()) {
      Await.get(pool.preparedQuery(ONE).execute(Tuple.of(only))).forEach(tally::take);
    } else {
      String after = "";
      for (RowSet<Row> runs = runs(after); runs.size() > 0; runs = runs(after)) {
        for (Row run : runs) {
          tally.take(run);
          after = run.getString(0);
        }
      }
    }
    if (tally.count > 0) {
      LOG.infof(
          "%s %d checkpoints of %d runs; spared %d",
          dryRun ? "would delete" : "deleted", tally.count, tally.runs, tally.spared);
    }
    return new Report(tally.runs, tally.kept, tally.deleted, tally.spared);
  }

  /**
   * Uses the clock of Postgres: a replica whose clock is ahead must not expire every checkpoint.
   */
  private Instant now() {
    return Await.get(pool.query("SELECT clock_timestamp()").execute())
        .iterator()
        .next()
        .getOffsetDateTime(0)
        .toInstant();
  }

  /** Deletes a fork that was prepared but never created. */
  private void forget(String run) {
    List<String> copies = new ArrayList<>();
    Await.get(pool.preparedQuery(OF_RUN).execute(Tuple.of(run)))
        .forEach(row -> copies.add(row.getString(0)));
    deletion.delete(copies, true);
    forks.delete(run);
  }

  private RowSet<Row> runs(String after) {
    return Await.get(pool.preparedQuery(RUNS).execute(Tuple.of(after)));
  }

  /** Applies the policy to one run after the other and counts the results. */
  private final class Tally {
    private final Instant now;
    private final boolean dryRun;
    private final List<String> deleted = new ArrayList<>();
    private long count;
    private long runs;
    private long kept;
    private long spared;

    Tally(Instant now, boolean dryRun) {
      this.now = now;
      this.dryRun = dryRun;
    }

    void take(Row of) {
      String run = of.getString(0);
      runs++;
      List<RetentionPolicy.Candidate> all = new ArrayList<>();
      Set<String> kept = new HashSet<>();
      for (Row row : Await.get(pool.preparedQuery(OF_RUN).execute(Tuple.of(run)))) {
        all.add(
            new RetentionPolicy.Candidate(
                row.getString(0), row.getString(1), row.getOffsetDateTime(2).toInstant()));
        if (row.getBoolean(3)) {
          kept.add(row.getString(0));
        }
      }
      List<String> unwanted =
          RetentionPolicy.of(config, of.getString(1), of.getString(2)).unwanted(all, now);
      List<String> going = unwanted.isEmpty() ? List.of() : withoutNeeded(run, unwanted, kept);
      Set<String> marked = dryRun ? Set.copyOf(going) : Set.copyOf(deletion.delete(going, false));
      List<String> gone = going.stream().filter(marked::contains).toList();
      spared += unwanted.size() - gone.size();
      this.kept += all.size() - gone.size();
      count += gone.size();
      gone.stream().limit(MOST_NAMED - deleted.size()).forEach(deleted::add);
      if (!dryRun) {
        RetentionService.this.deleted.increment(gone.size());
      }
    }

    private List<String> withoutNeeded(String run, List<String> unwanted, Set<String> kept) {
      Set<String> needed = new HashSet<>(kept);
      try {
        // Before the fold, so that it includes the events of all others.
        Set<String> unseen = unseen(run);
        switch (Await.get(needs.of(run))) {
          case RequiredCheckpoints.Need.Ended ended -> needed.addAll(ended.checkpoints());
          case RequiredCheckpoints.Need.Unknown unknown -> needed.addAll(unseen);
          case RequiredCheckpoints.Need.Alive alive -> {
            needed.addAll(alive.checkpoints());
            needed.addAll(unseen);
          }
        }
      } catch (RuntimeException e) {
        LOG.warnf(
            "run %s: cannot determine which checkpoints it needs; deleting none of them: %s",
            run, FailureTranslator.words(e));
        return List.of();
      }
      return unwanted.stream().filter(id -> !needed.contains(id)).toList();
    }

    private Set<String> unseen(String run) {
      Set<String> unseen = new HashSet<>();
      Await.get(pool.preparedQuery(UNSEEN).execute(Tuple.of(run)))
          .forEach(row -> unseen.add(row.getString(0)));
      return unseen;
    }
  }
}
