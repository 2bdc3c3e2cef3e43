/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.fault.TcpProxy;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Disconnects a runner from Kafka, the orchestrator and the checkpoint-store, each by a proxy. The
 * runner is on this host, but no launcher has started it, so none can kill it, as for a runner on
 * another host. Heartbeats are sent every three seconds; a run is suspended after six seconds and
 * its runner is missed after {@value #TIMEOUT_SECONDS}, so that a busy machine does not look like a
 * partition.
 *
 * <p>The steps record their execution in a ledger outside of the system: a line with the epoch, the
 * step and the time.
 */
class PartitionTest {
  private static final int TIMEOUT_SECONDS = 24;
  private static final Duration TIMEOUT = Duration.ofSeconds(TIMEOUT_SECONDS);
  private static final Duration SOON = Duration.ofSeconds(120);
  private static final int TALKS = 150;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy kafka;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy orchestrator;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy store;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  private final Path folder;
  private final Path ledger;
  private final List<Runner> runners = new ArrayList<>();
  private boolean passed;

  PartitionTest() throws IOException {
    folder = Files.createTempDirectory(on.folder, "partition-");
    ledger = Files.createFile(folder.resolve("ledger"));
  }

  @BeforeAll
  static void start() throws Exception {
    kafka = TcpProxy.open();
    orchestrator = TcpProxy.open();
    store = TcpProxy.open();
    int second = ServiceReplica.freePort();
    on =
        SharedStackExtension.RunningStack.of(
            builder ->
                builder
                    .environment(
                        StackComponent.KAFKA, "BATON_KAFKA_FORWARDED", second + ":" + kafka.port())
                    .environment(
                        StackComponent.ORCHESTRATOR,
                        "BATON_HEARTBEAT_TIMEOUT",
                        TIMEOUT_SECONDS + "s")
                    .environment(StackComponent.ORCHESTRATOR, "BATON_HEARTBEAT_INTERVAL", "3s")
                    // The test starts the runners.
                    .environment(StackComponent.ORCHESTRATOR, "BATON_LAUNCHER_PROCESS_COMMAND", "")
                    .environment(StackComponent.ORCHESTRATOR, "BATON_LAUNCHER_POOL_SIZE", "0"));
    kafka.to(second);
    orchestrator.to(URI.create(on.stack.orchestratorUrl()).getPort());
    store.to(URI.create(on.stack.storeUrl()).getPort());
  }

  @AfterAll
  static void stop() throws IOException {
    on.close();
    kafka.close();
    orchestrator.close();
    store.close();
  }

  @AfterEach
  void end() throws Exception {
    heal();
    if (!passed) {
      on.failed("a partition");
      System.out.println("--- the ledger\n" + Files.readString(ledger));
      for (Runner runner : runners) {
        System.out.println("--- " + runner.id + "\n" + runner.log());
      }
    }
    runners.forEach(Runner::end);
  }

  private static void cut() {
    kafka.cut();
    orchestrator.cut();
    store.cut();
  }

  private static void heal() {
    kafka.heal();
    orchestrator.heal();
    store.heal();
  }

  /** A runner process that executes several runs, with folders of its own. */
  private record Runner(String id, Process process, Path data, Path output) {
    /** Ends it gracefully, so that the orchestrator assigns no more runs to it. */
    void end() {
      process.destroy();
      try {
        if (process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }

    String log() throws IOException {
      return Files.readString(output);
    }

    /** Files with events that were not acknowledged. */
    List<Path> spooled() throws IOException {
      Path spool = data.resolve("spool");
      if (!Files.isDirectory(spool)) {
        return List.of();
      }
      try (Stream<Path> files = Files.list(spool)) {
        return files.toList();
      }
    }
  }

  /**
   * @param cuttable whether it connects to all servers through the proxies
   */
  private Runner runner(boolean cuttable) throws Exception {
    String id = "partition-" + NUMBER.incrementAndGet();
    Path data = Files.createDirectories(folder.resolve(id));
    Path output = folder.resolve(id + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(on.stack.runnerCommand())
            .directory(data.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("BATON_RUNNER_ID", id);
    environment.put("BATON_RUNNER_MODE", "shared");
    environment.put("BATON_RUNNER_SLOTS", "4");
    environment.put("BATON_DATA", data.toString());
    environment.put("BATON_CHECKPOINT_PATIENCE", "2s");
    environment.put(
        "KAFKA_BOOTSTRAP_SERVERS",
        cuttable ? "127.0.0.1:" + kafka.port() : on.stack.kafkaBootstrap());
    environment.put(
        "BATON_ORCHESTRATOR_URL",
        cuttable ? "http://127.0.0.1:" + orchestrator.port() : on.stack.orchestratorUrl());
    environment.put(
        "BATON_STORE_URL", cuttable ? "http://127.0.0.1:" + store.port() : on.stack.storeUrl());
    Runner runner = new Runner(id, builder.start(), data, output);
    runners.add(runner);
    Await.until(id + " is attached", SOON, () -> attached().contains("runner " + id + " attached"));
    return runner;
  }

  private static String attached() throws IOException {
    return Files.readString(on.stack.log(StackComponent.ORCHESTRATOR));
  }

  /**
   * Starts a run with a step that writes to the ledger until it is ended, and many short steps in
   * parallel, so that there are always events to publish.
   */
  private String run() throws Exception {
    String talks =
        IntStream.range(0, TALKS)
            .mapToObj(
                i ->
                    "{id: t%d, workspace: none, shell: '[ -e %s/end ] || sleep 0.5; echo \"$BATON_EPOCH t%d $(date +%%s%%N)\" >> %s'}"
                        .formatted(i, folder, i, ledger))
            .collect(Collectors.joining(", "));
    String name = folder.getFileName().toString().toLowerCase(Locale.ROOT);
    on.api.push(
        """
        name: NAME
        input: {type: object}
        steps:
          - id: both
            parallel:
              branches:
                counts: [{id: count, workspace: none, shell: 'until [ -e FOLDER/end ]; do echo "$BATON_EPOCH count $(date +%s%N)" >> FOLDER/ledger; sleep 0.05; done'}]
                talks: [TALKS]
          - {id: last, transform: '"done"'}
        """
            .replace("NAME", name)
            .replace("FOLDER", folder.toString())
            .replace("[TALKS]", "[" + talks + "]"));
    String run = on.api.start(name, AcceptanceApiClient.JSON.createObjectNode());
    Await.until("the steps run", SOON, () -> lines().size() > 20);
    return run;
  }

  private record Line(int epoch, String step, long nanos) {}

  private List<Line> lines() throws IOException {
    return Files.readAllLines(ledger).stream()
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length == 3 && words[2].length() == 19)
        .map(words -> new Line(Integer.parseInt(words[0]), words[1], Long.parseLong(words[2])))
        .toList();
  }

  private void awaitStandstill() {
    Await.until(
        "no step writes",
        SOON,
        () -> {
          int before = lines().size();
          TimeUnit.MILLISECONDS.sleep(700);
          return lines().size() == before;
        });
  }

  private void awaitMore() throws IOException {
    int before = lines().size();
    Await.until("the steps continue", SOON, () -> lines().size() > before + 5);
  }

  private JsonNode ended(String run) throws Exception {
    Files.createFile(folder.resolve("end"));
    Await.until("run " + run + " has ended", SOON, () -> on.api.run(run).hasNonNull("ended_at"));
    JsonNode ended = on.api.run(run);
    assertThat(ended.path("status").asText()).as("%s", ended).isEqualTo("completed");
    assertThat(ended.path("output").asText()).isEqualTo("done");
    return ended;
  }

  /** Checks that one runner executed the whole run, and no step ran twice. */
  private void assertUndisturbed(String run, Runner runner) throws Exception {
    assertThat(ended(run).path("epoch").asInt()).isEqualTo(1);
    assertThat(lines()).extracting(Line::epoch).containsOnly(1);
    assertNothingTwice(run);
    Await.until("nothing is left in the spool", SOON, () -> runner.spooled().isEmpty());
  }

  private void assertNothingTwice(String run) throws Exception {
    List<String> completed = new ArrayList<>();
    for (JsonNode event : on.api.events(run)) {
      if (event.path("type").asText().equals("step_completed")) {
        completed.add(event.path("data").path("step").asText());
      }
    }
    assertThat(completed).doesNotHaveDuplicates().contains("both/counts/count", "last");
    assertThat(lines().stream().filter(line -> !line.step().equals("count")).map(Line::step))
        .doesNotHaveDuplicates();
  }

  @Test
  @Tag("full")
  void shouldStandStillWhileItIsCutOffAndGoOnWhenNobodyHasTakenOver() throws Exception {
    Runner runner = runner(true);
    String run = run();

    cut();
    awaitStandstill();
    heal();

    awaitMore();
    assertThat(runner.log()).contains("epoch 1 is suspended").contains("epoch 1 continues");
    assertUndisturbed(run, runner);
    passed = true;
  }

  @Test
  void shouldHaveStoppedBeforeItsReplacementBeginsAndGiveUpWhenItIsBack() throws Exception {
    Runner old = runner(true);
    String run = run();
    Runner replacement = runner(false);

    cut();
    awaitStandstill();
    assertThat(on.api.run(run).path("epoch").asInt()).isEqualTo(1);
    assertThat(old.spooled()).hasSize(1);
    Await.until(
        "another runner has taken over",
        SOON,
        () -> lines().stream().anyMatch(line -> line.epoch() == 2));
    // The runner must learn that it is fenced before it can write: if Kafka is healed first, it is
    // undefined which of its events still reach the topic, to be dropped.
    orchestrator.heal();
    store.heal();
    Await.until(
        "the old runner has stopped",
        SOON,
        () -> old.log().contains("were not acknowledged when the runner was cut off are kept"));
    kafka.heal();
    awaitMore();
    assertThat(ended(run).path("epoch").asInt()).isEqualTo(2);
    List<Line> lines = lines();
    long lastOfOld =
        lines.stream().filter(line -> line.epoch() == 1).mapToLong(Line::nanos).max().orElseThrow();
    long firstOfNew =
        lines.stream().filter(line -> line.epoch() == 2).mapToLong(Line::nanos).min().orElseThrow();
    assertThat(lastOfOld).isLessThan(firstOfNew);
    assertThat(lines.subList(indexOfEpoch(lines, 2), lines.size()))
        .extracting(Line::epoch)
        .containsOnly(2);
    List<Path> kept = old.spooled();
    assertThat(kept).hasSize(1);
    assertThat(kept.getFirst().getFileName()).hasToString(run + "-1.jsonl");
    assertThat(Files.readAllLines(kept.getFirst())).isNotEmpty();
    Await.until(
        "the run's log names the file", SOON, () -> logs(run).contains(kept.getFirst().toString()));
    assertThat(replacement.process().isAlive()).isTrue();
    passed = true;
  }

  /**
   * A runner that hangs cannot stop its script. The orchestrator kills processes of an old epoch on
   * its own host; this script hides its run id, as if it were on another host. Then only the guard
   * stops it.
   */
  @Test
  @Tag("full")
  void shouldLetTheScriptOfAHungRunnerDoNothingOutsideOnceAnotherHoldsTheRun() throws Exception {
    String name = folder.getFileName().toString().toLowerCase(Locale.ROOT);
    Path script =
        Files.writeString(
            folder.resolve("push.sh"),
            """
            tell() { echo "$BATON_EPOCH $1 $(date +%s%N)" >> ledger; }
            tell begun
            until [ -e end ]; do sleep 0.05; done
            BATON_SKIP_BUILD=1 BATON guard --run "$1" -- sh -c 'echo "$BATON_EPOCH pushed $(date +%s%N)" >> ledger'
            code=$?
            tell guard-$code
            exit $code
            """
                .replace("BATON guard", BatonCliInvoker.program() + " guard"));
    on.api.push(
        """
        name: NAME
        input: {type: object}
        steps:
          - {id: push, workspace: none, shell: 'cd FOLDER; exec env -u BATON_RUN_ID sh SCRIPT "$BATON_RUN_ID"'}
          - {id: last, transform: '"done"'}
        """
            .replace("NAME", name)
            .replace("FOLDER", folder.toString())
            .replace("SCRIPT", script.toString()));
    Runner hung = runner(false);
    String run = on.api.start(name, AcceptanceApiClient.JSON.createObjectNode());
    awaitTold(1, "begun");
    List<ProcessHandle> scripts = hung.process().children().toList();
    assertThat(scripts).hasSize(1);

    try {
      assertThat(
              new ProcessBuilder("sh", "-c", "kill -STOP " + hung.process().pid())
                  .start()
                  .waitFor())
          .isZero();
      runner(false);
      awaitTold(2, "begun");
      assertThat(ended(run).path("epoch").asInt()).isEqualTo(2);
      awaitTold(1, "guard-120");
      assertThat(lines().stream().filter(line -> line.step().equals("pushed")))
          .extracting(Line::epoch)
          .containsExactly(2);
    } finally {
      scripts.forEach(ProcessHandle::destroyForcibly);
      hung.process().destroyForcibly();
    }
    passed = true;
  }

  private void awaitTold(int epoch, String what) {
    Await.until(
        "epoch " + epoch + " writes '" + what + "'",
        SOON,
        () -> lines().stream().anyMatch(line -> line.epoch() == epoch && line.step().equals(what)));
  }

  private static long suspensions(Runner runner) throws IOException {
    return runner.log().lines().filter(line -> line.contains("is suspended")).count();
  }

  private static String logs(String run) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(on.stack.orchestratorUrl() + "/runs/" + run + "/logs"))
            .timeout(SOON)
            .header(BearerCredential.HEADER, BearerCredential.header(on.stack.apiKey()))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  private static int indexOfEpoch(List<Line> lines, int epoch) {
    return IntStream.range(0, lines.size())
        .filter(i -> lines.get(i).epoch() == epoch)
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Tag("full")
  void shouldNotMindWhenOnlyTheOrchestratorCannotBeReached() throws Exception {
    Runner runner = runner(true);
    String run = run();

    // On a slow machine the run may have been suspended before.
    long before = suspensions(runner);
    orchestrator.cut();
    TimeUnit.MILLISECONDS.sleep(TIMEOUT.plusSeconds(3).toMillis());
    awaitMore();
    assertThat(suspensions(runner)).isEqualTo(before);
    orchestrator.heal();

    assertUndisturbed(run, runner);
    passed = true;
  }

  @Test
  @Tag("full")
  void shouldWaitForMoreThanAMinuteForKafkaAndGoOn() throws Exception {
    Runner first = runner(false);
    String run = run();

    on.stack.kill(StackComponent.KAFKA);
    awaitStandstill();
    int before = lines().size();
    TimeUnit.SECONDS.sleep(62);
    assertThat(lines()).hasSize(before);
    on.stack.restart(StackComponent.KAFKA);

    awaitMore();
    assertUndisturbed(run, first);
    // No runner is missed afterwards.
    assertThat(new HashSet<>(lines().stream().map(Line::epoch).toList())).containsOnly(1);
    passed = true;
  }
}
