/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.operator.OrchestratorClient;
import dev.baton.operator.RunReport;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.server.PeriodicTask;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reports changes of runs that belong to resources: once a second reads all of them that have not
 * ended, with two queries for up to 500 runs, and those that have ended since. Thread-safe.
 */
@ApplicationScoped
class RunReportPublisher {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration SQL = Duration.ofSeconds(20);
  private static final int PAGE = 500;

  /**
   * @param report null until the first round
   */
  private record Known(RunResourceRepository.Entry owner, @Nullable RunReport report) {}

  private final RunResourceRepository resources;
  private final RunQueryService queries;

  /** The runs that had not ended when they were read last, by uid. */
  private final Map<String, Known> active = new ConcurrentHashMap<>();

  RunReportPublisher(RunResourceRepository resources, RunQueryService queries) {
    this.resources = resources;
    this.queries = queries;
  }

  /** Ensures that the end of a run is reported, also when it ends before the next round. */
  void expect(RunResourceRepository.Entry owner) {
    active.putIfAbsent(owner.resource().uid(), new Known(owner, null));
  }

  OrchestratorClient.Subscription follow(
      Collection<String> namespaces, Consumer<RunReport> changed) {
    List<String> watched = List.copyOf(namespaces);
    PeriodicTask task =
        PeriodicTask.start("operator-reports", EVERY, () -> round(watched, changed));
    return () -> {
      task.close();
      active.clear();
    };
  }

  private void round(List<String> namespaces, Consumer<RunReport> changed) {
    Map<String, RunResourceRepository.Entry> wanted =
        await(resources.active(namespaces)).stream()
            .collect(Collectors.toMap(entry -> entry.resource().uid(), Function.identity()));
    Set<String> before = new HashSet<>(active.keySet());
    before.removeAll(wanted.keySet());
    for (String uid : before) {
      Known known = active.get(uid);
      if (known != null) {
        wanted.put(uid, known.owner());
      }
    }
    List<RunResourceRepository.Entry> all = new ArrayList<>(wanted.values());
    for (int from = 0; from < all.size(); from += PAGE) {
      publish(all.subList(from, Math.min(all.size(), from + PAGE)), changed);
    }
  }

  private void publish(List<RunResourceRepository.Entry> page, Consumer<RunReport> changed) {
    Map<String, RunView> views =
        await(queries.all(page.stream().map(RunResourceRepository.Entry::run).toList())).stream()
            .collect(Collectors.toMap(RunView::id, Function.identity()));
    for (RunResourceRepository.Entry owner : page) {
      String uid = owner.resource().uid();
      RunView view = views.get(owner.run());
      if (view == null) {
        active.remove(uid); // Deleted from Baton.
        continue;
      }
      RunReport report = RunReportFactory.create(owner, view);
      Known known = active.get(uid);
      if (known == null || !report.equals(known.report())) {
        changed.accept(report);
      }
      if (report.ended()) {
        active.remove(uid);
      } else {
        active.put(uid, new Known(owner, report));
      }
    }
  }

  private static <T> T await(Uni<T> query) {
    return query.await().atMost(SQL);
  }
}
