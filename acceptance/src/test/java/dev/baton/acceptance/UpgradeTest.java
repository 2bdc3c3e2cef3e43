/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Replaces both services, two replicas each, one replica at a time by those of another version on
 * the same Kafka, Postgres and object store, while runs are under way: from the last recorded
 * version to this one, and back. At every stage a runner is killed, so that a service of one
 * version takes over what the other has started.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class UpgradeTest {
  /** Slow enough for a run to see several replacements. */
  private static final double PACE_SECONDS = 1.5;

  private static final Duration GONE = Duration.ofSeconds(5);

  /**
   * The recorded version does not set this itself, and would not start on the schema of a newer
   * one.
   */
  private static final String IGNORE_FUTURE = "QUARKUS_FLYWAY_IGNORE_FUTURE_MIGRATIONS";

  /** A service of which there are two, each on a port that it keeps. */
  private record Place(StackComponent service, int port) {}

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path repository;

  @SuppressWarnings("NullAway.Init")
  private static List<AcceptanceApiClient> apis;

  /** Stores first, whose clients are orchestrators and runners. */
  private static final List<Place> PLACES = new ArrayList<>();

  private static final Map<Place, ServiceReplica> RUNNING = new HashMap<>();
  private static final Map<LedgerPipeline, JsonNode> UNDISTURBED =
      new EnumMap<>(LedgerPipeline.class);

  @RegisterExtension
  static final AfterTestExecutionCallback TELL =
      context ->
          context.getExecutionException().ifPresent(e -> on.failed(context.getDisplayName()));

  @BeforeAll
  static void startThePreviousVersion() throws Exception {
    InstallationLayout previous = PreviousVersionBuilder.build();
    on =
        SharedStackExtension.RunningStack.of(
            builder ->
                builder.components(
                    StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3));
    repository = TestGitRepository.make(on.folder.resolve("repository"));
    PLACES.add(new Place(StackComponent.STORE, port(on.stack.storeUrl())));
    PLACES.add(new Place(StackComponent.STORE, ServiceReplica.freePort()));
    PLACES.add(new Place(StackComponent.ORCHESTRATOR, port(on.stack.orchestratorUrl())));
    PLACES.add(new Place(StackComponent.ORCHESTRATOR, ServiceReplica.freePort()));
    for (Place place : PLACES) {
      start(place, previous);
    }
    apis =
        places(StackComponent.ORCHESTRATOR).stream()
            .map(
                place ->
                    AcceptanceApiClient.unchecked(
                        ServiceReplica.url(place.port()), on.stack.apiKey()))
            .toList();
    for (LedgerPipeline pipeline : LedgerPipeline.values()) {
      UNDISTURBED.put(pipeline, pipeline.start(apis.getFirst(), on.folder, repository, 0).output());
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (on != null) {
      on.close();
    }
  }

  @Test
  @Order(1)
  void shouldKeepEveryRunWhileThisVersionReplacesTheRecordedOne() throws Exception {
    replaceAll(InstallationLayout.find(), SeededRandomFactory.random("upgrade"));
  }

  @Test
  @Order(2)
  void shouldKeepEveryRunWhileTheRecordedVersionComesBack() throws Exception {
    replaceAll(PreviousVersionBuilder.build(), SeededRandomFactory.random("return"));
  }

  private static void replaceAll(InstallationLayout version, Random random) throws Exception {
    List<PipelineRun> runs = new ArrayList<>();
    List<LedgerPipeline> pipelines = new ArrayList<>();
    for (Place place : PLACES) {
      // Orchestrators take turns: either version starts runs.
      LedgerPipeline pipeline = LedgerPipeline.values()[runs.size() % 2];
      pipelines.add(pipeline);
      AcceptanceApiClient api = apis.get(runs.size() / 2 % 2);
      runs.add(pipeline.start(api, on.folder, repository, PACE_SECONDS));
      Objects.requireNonNull(RUNNING.get(place)).stop();
      start(place, version);
      System.out.println(
          "  %s:%d replaced, killed a runner: %s"
              .formatted(
                  place.service().label(),
                  place.port(),
                  killRunner(runs.get(random.nextInt(runs.size())).id)));
    }

    for (int n = 0; n < runs.size(); n++) {
      PipelineRun run = runs.get(n);
      assertThat(run.output())
          .as("output of run %s", run.id)
          .isEqualTo(UNDISTURBED.get(pipelines.get(n)));
      assertThat(run.repeated()).as("repeated steps of run %s", run.id).isEmpty();
      for (AcceptanceApiClient api : apis) {
        JsonNode view = api.run(run.id);
        assertThat(view.path("status").asText()).as("%s", view).isEqualTo("completed");
        assertThat(view.path("degraded").isObject()).as("%s", view).isFalse();
      }
    }
  }

  private static List<Place> places(StackComponent service) {
    return PLACES.stream().filter(place -> place.service() == service).toList();
  }

  private static void start(Place place, InstallationLayout version)
      throws IOException, InterruptedException {
    ServiceReplica replica =
        on.stack.replica(version, place.service(), place.port(), environment(place));
    RUNNING.put(place, replica);
    replica.start();
  }

  /** Orchestrators and their runners have the addresses of both replicas of each service. */
  private static Map<String, String> environment(Place place) {
    if (place.service() == StackComponent.STORE) {
      // Orchestrators and runners of the recorded version have no identity at the store.
      return Map.of(IGNORE_FUTURE, "true", "BATON_IDENTITY_REQUIRED", "false");
    }
    return Map.of(
        IGNORE_FUTURE,
        "true",
        "BATON_ORCHESTRATOR_URL",
        urls(StackComponent.ORCHESTRATOR, place),
        "BATON_STORE_URL",
        urls(StackComponent.STORE, place),
        // A slow machine can delay heartbeats for seconds, which is not tested here.
        "BATON_HEARTBEAT_INTERVAL",
        "3s",
        "BATON_HEARTBEAT_TIMEOUT",
        "15s");
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }

  /** Returns the service's addresses, its own first. */
  private static String urls(StackComponent service, Place first) {
    List<Place> all = new ArrayList<>(places(service));
    if (all.remove(first)) {
      all.addFirst(first);
    }
    return String.join(",", all.stream().map(place -> ServiceReplica.url(place.port())).toList());
  }

  /** Returns whether the run had a runner, which is now dead. */
  private static boolean killRunner(String run) throws Exception {
    for (AcceptanceApiClient api : apis) {
      long pid = api.run(run).path("runner").path("pid").asLong();
      ProcessHandle runner = ProcessHandle.of(pid).orElse(null);
      if (runner != null && runner.info().command().orElse("").endsWith("java")) {
        boolean killed = runner.destroyForcibly();
        Await.until("runner " + pid + " is gone", GONE, () -> !runner.isAlive());
        return killed;
      }
    }
    return false;
  }
}
