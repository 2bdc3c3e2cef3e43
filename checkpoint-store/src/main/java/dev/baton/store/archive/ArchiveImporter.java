/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.scheduling.Await;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Imports archived runs that Postgres does not have: all of them if Postgres is empty, otherwise
 * those that were fetched into the repository. Appends their events to the trace topic, so that
 * every consumer of the topic receives them, not only this store. Blocks. Not thread-safe.
 */
@ApplicationScoped
class ArchiveImporter {
  private static final Logger LOG = Logger.getLogger(ArchiveImporter.class);
  private static final int TOGETHER = 50;
  private static final int PAGE = 500;
  private static final Duration CATCH_UP = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(250);

  static final String POSITIONS =
      "SELECT partition, next_offset FROM store.consumer_position WHERE topic = $1";

  private final ArchiveRepository marks;
  private final RunImporter takeover;
  private final TraceTopicClient log;
  private final Pool pool;
  private final ArchiveMetrics metrics;
  private final LeaseAuthenticator leases;

  /** Commits that cannot be imported, so that each is logged only once. */
  private final Set<String> refused = new HashSet<>();

  private boolean told;

  ArchiveImporter(
      ArchiveRepository marks,
      RunImporter takeover,
      TraceTopicClient log,
      Pool pool,
      ArchiveMetrics metrics,
      LeaseAuthenticator leases) {
    this.leases = leases;
    this.marks = marks;
    this.takeover = takeover;
    this.log = log;
    this.pool = pool;
    this.metrics = metrics;
  }

  /**
   * Imports the missing runs.
   *
   * @throws StoreRequestException UNAVAILABLE if a required server does not respond
   */
  void run(GitRunStore git) {
    List<GitRunStore.Pointer> unknown = unknown(all(git));
    if (unknown.isEmpty()) {
      return;
    }
    if (leases.areRequired()) {
      // Once appended again, the events of the runners would have no lease.
      if (!told) {
        told = true;
        LOG.warnf(
            "%d runs of the archive are not imported: leases are required (baton.lease.required)",
            unknown.size());
      }
      return;
    }
    // The topic may contain runs that the store has not consumed yet.
    if (!hasCaughtUp()) {
      throw StoreRequestException.unavailable(
          "%d runs of the archive wait until the log has been read".formatted(unknown.size()));
    }
    unknown = unknown(unknown);
    int taken = 0;
    for (int i = 0; i < unknown.size(); i += TOGETHER) {
      taken += take(git, unknown.subList(i, Math.min(i + TOGETHER, unknown.size())));
    }
    if (taken > 0) {
      LOG.infof("imported %d runs from the archive %s", taken, git.folder());
    }
  }

  private static List<GitRunStore.Pointer> all(GitRunStore git) {
    try {
      return git.runs().stream().filter(pointer -> RunId.isValid(pointer.run())).toList();
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the archive cannot be read: " + FailureTranslator.words(e));
    }
  }

  private List<GitRunStore.Pointer> unknown(List<GitRunStore.Pointer> all) {
    List<GitRunStore.Pointer> unknown = new ArrayList<>();
    for (int i = 0; i < all.size(); i += PAGE) {
      List<GitRunStore.Pointer> page = all.subList(i, Math.min(i + PAGE, all.size()));
      List<String> runs = page.stream().map(GitRunStore.Pointer::run).toList();
      Map<String, ArchiveRepository.State> states = marks.states(runs);
      Set<String> present = new HashSet<>(marks.present(runs));
      for (GitRunStore.Pointer pointer : page) {
        ArchiveRepository.State state = states.get(pointer.run());
        boolean wanted =
            state == null
                ? !present.contains(pointer.run())
                : state == ArchiveRepository.State.HYDRATING;
        if (wanted && !refused.contains(pointer.commit().name())) {
          unknown.add(pointer);
        }
      }
    }
    return unknown;
  }

  private boolean hasCaughtUp() {
    Map<Integer, Long> ends = log.ends(TopicName.TRACE);
    Map<Integer, Long> before = Map.of();
    long deadline = System.nanoTime() + CATCH_UP.toNanos();
    while (System.nanoTime() < deadline) {
      Map<Integer, Long> positions = new HashMap<>();
      for (Row row : Await.get(pool.preparedQuery(POSITIONS).execute(Tuple.of(TopicName.TRACE)))) {
        positions.put(row.getInteger(0), row.getLong(1));
      }
      ends.keySet().forEach(partition -> positions.putIfAbsent(partition, 0L));
      if (hasReached(positions, ends)) {
        return true;
      }
      // After the last record a partition may have transaction markers and aborted records.
      if (positions.equals(before)
          && hasReached(log.skip(TopicName.TRACE, positions, ends), ends)) {
        return true;
      }
      before = positions;
      try {
        Thread.sleep(POLL); // another replica may be the consumer
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw StoreRequestException.unavailable("interrupted");
      }
    }
    return false;
  }

  private static boolean hasReached(Map<Integer, Long> positions, Map<Integer, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /** Imports runs and returns their number. */
  private int take(GitRunStore git, List<GitRunStore.Pointer> pointers) {
    List<RunManifest> published = new ArrayList<>();
    try (TraceTopicClient.Session session = log.open()) {
      for (GitRunStore.Pointer pointer : pointers) {
        try {
          published.add(takeover.take(git, pointer, session));
        } catch (IOException | IllegalArgumentException e) {
          refuse(pointer, e);
        } catch (StoreRequestException e) {
          if (e.kind() == StoreRequestException.Kind.UNAVAILABLE) {
            throw e;
          }
          refuse(pointer, e);
        }
      }
      session.flush();
    }
    for (RunManifest run : published) {
      takeover.awaitStored(run);
      marks.kept(run.run(), marks.position(run.run()));
      metrics.hydrated();
    }
    return published.size();
  }

  private void refuse(GitRunStore.Pointer pointer, Exception why) {
    refused.add(pointer.commit().name());
    metrics.refused();
    LOG.warnf(
        "run %s of the archive (commit %s) is left out: %s",
        pointer.run(), pointer.commit().name(), FailureTranslator.words(why));
  }
}
