/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.MeasureProjectsRequest;
import dev.baton.protocol.grpc.ProjectStorage;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Copies the bytes that the checkpoints of limited projects keep from the checkpoint-store, which
 * owns the number, into the rows of the projects, which {@link ProjectLimitGuard} locks anyway. The
 * replicas share the projects. While the store does not answer, the last number counts.
 */
@ApplicationScoped
class ProjectStorageWatcher {
  private static final Duration EVERY = Duration.ofSeconds(15);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SQL = Duration.ofSeconds(10);

  /** Projects of one request to the store. */
  private static final int MOST = 500;

  private final ProjectLimitRepository projects;
  private final StoreChannel store;
  private final PeriodicTask measuring =
      new PeriodicTask(
          "project-storage",
          EVERY,
          "projects: their checkpoints cannot be measured, retrying",
          this::measure);

  ProjectStorageWatcher(ProjectLimitRepository projects, StoreChannel store) {
    this.projects = projects;
    this.store = store;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    measuring.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    measuring.stop();
  }

  /** Measures projects whose limits were changed. Never blocks. */
  void wake() {
    measuring.wake();
  }

  private void measure() {
    List<String> claimed;
    do {
      // Slightly less than the period, so that one round does not miss the claims of the last.
      claimed = on(SQL, projects.claimMeasurements(EVERY.multipliedBy(9).dividedBy(10), MOST));
      if (!claimed.isEmpty()) {
        on(SQL, projects.storeMeasurements(measured(claimed)));
      }
    } while (claimed.size() == MOST && !measuring.isStopping());
  }

  private Map<String, Long> measured(List<String> names) {
    MeasureProjectsRequest request =
        MeasureProjectsRequest.newBuilder().addAllProjects(names).build();
    return on(
            PATIENCE.plus(SQL),
            store.ask(PATIENCE, call -> call.maintenance().measureProjects(request)))
        .getProjectsList()
        .stream()
        .collect(Collectors.toMap(ProjectStorage::getProject, ProjectStorage::getBytes));
  }

  private static <T> T on(Duration bound, Uni<T> uni) {
    return uni.await().atMost(bound);
  }
}
