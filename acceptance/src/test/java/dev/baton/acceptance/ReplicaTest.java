/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs two orchestrators and two checkpoint-stores on one Kafka, Postgres and object store. */
@Tag("full")
class ReplicaTest {
  private static final Duration END = Duration.ofSeconds(400);
  private static final int RUNS = Integer.getInteger("baton.runs", 4);
  private static final int LIMITED = 16;
  private static final int DELAY_MS = 800;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Node first;

  @SuppressWarnings("NullAway.Init")
  private static Node second;

  @SuppressWarnings("NullAway.Init")
  private static ServiceReplica otherStore;

  @RegisterExtension
  static final AfterTestExecutionCallback TELL =
      context ->
          context.getExecutionException().ifPresent(e -> on.failed(context.getDisplayName()));

  /** An orchestrator and its API. */
  private record Node(ServiceReplica replica, AcceptanceApiClient api) {
    static Node of(ServiceReplica replica) {
      return new Node(replica, new AcceptanceApiClient(replica.url(), on.stack.apiKey()));
    }

    String instance() throws IOException {
      return Files.readString(replica.data().resolve("instance-id")).strip();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    on = SharedStackExtension.RunningStack.of(builder -> builder);
    int one = Integer.parseInt(on.stack.orchestratorUrl().replaceFirst(".*:", ""));
    int two = ServiceReplica.freePort();
    int store = ServiceReplica.freePort();
    otherStore = on.stack.replica(StackComponent.STORE, store, Map.of());
    first =
        orchestrator(urls(one, two, on.stack.storeUrl() + "," + ServiceReplica.url(store)), one);
    second =
        orchestrator(urls(two, one, ServiceReplica.url(store) + "," + on.stack.storeUrl()), two);
    on.stack.stop(StackComponent.ORCHESTRATOR);
    together(List.of(otherStore, first.replica, second.replica));
  }

  private static Node orchestrator(Map<String, String> urls, int port) throws IOException {
    return Node.of(on.stack.replica(StackComponent.ORCHESTRATOR, port, urls));
  }

  private static void together(List<ServiceReplica> replicas) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> starting = new ArrayList<>();
      for (ServiceReplica replica : replicas) {
        starting.add(
            threads.submit(
                () -> {
                  replica.start();
                  return null;
                }));
      }
      for (Future<?> started : starting) {
        started.get();
      }
    }
  }

  private static Map<String, String> urls(int self, int other, String stores) {
    // A slow machine can delay heartbeats for seconds, which is not tested here.
    return Map.of(
        "BATON_ORCHESTRATOR_URL",
        ServiceReplica.url(self) + "," + ServiceReplica.url(other),
        "BATON_STORE_URL",
        stores,
        "BATON_HEARTBEAT_INTERVAL",
        "3s",
        "BATON_HEARTBEAT_TIMEOUT",
        "15s");
  }

  @AfterAll
  static void stop() throws Exception {
    on.close();
  }

  /**
   * Returns the replica to which the run's runner is not attached: the other one has started it.
   */
  private static Node awayFrom(String run) throws Exception {
    return instanceOf(run).equals(first.instance()) ? second : first;
  }

  private static String instanceOf(String run) throws Exception {
    List<String> instances = new ArrayList<>();
    Await.until(
        "run " + run + " has a runner",
        END,
        () -> {
          instances.clear();
          for (JsonNode runner : second.api.get("/runners").body().path("runners")) {
            if (runner.path("run").asText().equals(run)) {
              instances.add(runner.path("instance").asText());
            }
          }
          return !instances.isEmpty();
        });
    return instances.getFirst();
  }

  @Test
  void shouldReachARunnerThroughTheReplicaToWhichItIsNotAttached() throws Exception {
    Path gate = on.folder.resolve("replica.gate");
    first.api.push(
        """
        name: between
        input: {type: object}
        steps:
          - {id: ask, approval: {prompt: "Go on?"}}
          - {id: work, shell: 'echo work > w; until test -e "$GATE"; do sleep 0.05; done', env: {GATE: "${{ .input.gate }}"}}
          - {id: last, shell: 'echo last'}
        """);
    ObjectNode input = AcceptanceApiClient.JSON.createObjectNode().put("gate", gate.toString());
    String run = first.api.start("between", input);
    Node away = awayFrom(run);
    away.api.awaitStatus(run, "waiting", END);

    assertThat(away.api.approve(run)).isTrue();
    Await.until(
        "the step works",
        END,
        () -> away.api.run(run).path("current_steps").toString().contains("work"));
    AcceptanceApiClient.Answer cut =
        away.api.post("/runs/" + run + "/checkpoints", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(cut.status()).as("%s", cut).isBetween(200, 202);
    AcceptanceApiClient.Answer paused =
        away.api.post(
            "/runs/" + run + "/pause",
            AcceptanceApiClient.JSON.createObjectNode().put("now", true));
    assertThat(paused.status()).as("%s", paused).isEqualTo(202);
    away.api.awaitStatus(run, "paused", END);
    assertThat(away.api.run(run).path("epoch").asInt()).isEqualTo(1);

    AcceptanceApiClient.Answer resumed =
        away.api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(resumed.status()).as("%s", resumed).isEqualTo(202);
    away.api.awaitStatus(run, "running", END);
    Node awayNow = awayFrom(run);
    AcceptanceApiClient.Answer cancelled =
        awayNow.api.post("/runs/" + run + "/cancel", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(cancelled.status()).as("%s", cancelled).isLessThan(300);
    awayNow.api.awaitStatus(run, "cancelled", END);
    Await.until("its runner has ended", END, () -> RunnerProcessHandle.of(run).isEmpty());
  }

  @Test
  void shouldKeepALimitAndKnowAKeyWhicheverReplicaIsAsked() throws Exception {
    first.api.push(Files.readString(Path.of("src/test/resources/limited.yaml")));
    List<String> runs = new ArrayList<>();
    for (int n = 0; n < LIMITED; n++) {
      ObjectNode body = AcceptanceApiClient.JSON.createObjectNode().put("workflow", "limited");
      body.putObject("input").put("n", n);
      String key = "replica-" + n;
      AcceptanceApiClient.Answer answer = first.api.postOnce("/runs", key, body);
      assertThat(answer.status()).as("%s", answer).isEqualTo(201);
      AcceptanceApiClient.Answer again = second.api.postOnce("/runs", key, body);
      assertThat(again.body().path("id")).as("%s", again).isEqualTo(answer.body().path("id"));
      runs.add(answer.body().path("id").asText());
    }

    for (String run : runs) {
      Node asked = runs.indexOf(run) % 2 == 0 ? first : second;
      asked.api.awaitStatus(run, "completed", END);
    }
    assertThat(LimitTest.mostAtOnce(second.api, runs)).isEqualTo(2);
  }

  @Test
  void shouldLoseAndRepeatNothingWhenReplicasDieAndAreRestartedUnderLoad() throws Exception {
    Random random = SeededRandomFactory.random("replicas die and are restarted under load");
    Path repository = TestGitRepository.make(on.folder.resolve("repository"));
    List<PipelineRun> runs = new ArrayList<>();
    for (int n = 0; n < RUNS; n++) {
      runs.add(LedgerPipeline.MERGE.start(on, repository, 0.4));
    }
    PipelineRun watched = runs.get(random.nextInt(runs.size()));
    watched.awaitBegin(watched.shells.get(random.nextInt(watched.shells.size() / 2)));
    TimeUnit.MILLISECONDS.sleep(random.nextInt(DELAY_MS)); // A random moment in the run.

    first.replica.kill();
    first.replica.start();
    second.replica.stop();
    second.replica.start();
    on.stack.restart(StackComponent.STORE);
    otherStore.stop();
    otherStore.start();

    JsonNode output = null;
    for (PipelineRun run : runs) {
      JsonNode now = run.output();
      assertThat(now).isEqualTo(output == null ? now : output);
      output = now;
      assertThat(run.repeated()).isEmpty();
    }
  }
}
