/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.check.ChaosVerdict;
import dev.baton.chaos.fault.CheckpointDamager;
import dev.baton.chaos.fault.FaultInjector;
import dev.baton.chaos.fault.FaultSchedule;
import dev.baton.chaos.fault.FaultableServer;
import dev.baton.chaos.fault.PlannedFault;
import dev.baton.chaos.fault.SpoolDisk;
import dev.baton.chaos.fault.TopicGrowthInjector;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryMetadata;
import dev.baton.chaos.history.ChaosHistoryStore;
import dev.baton.chaos.history.LoggedRecord;
import dev.baton.chaos.history.WorkloadRun;
import dev.baton.chaos.workload.ChaosWorkload;
import dev.baton.chaos.workload.EffectServer;
import dev.baton.chaos.workload.TraceReader;
import dev.baton.chaos.workload.WorkloadClient;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs one chaos experiment on a dedicated stack: first undisturbed runs, whose outputs are the
 * reference, then the workload under faults. Then heals all faults, waits until all runs have
 * ended, records the history and evaluates it.
 */
public final class ChaosExperiment {
  /** One of this many runs is paused and resumed. */
  private static final int PAUSED_OF = 5;

  private static final int LATEST_PAUSE = 10;
  private static final long STORE_BOUND_MS = 120_000;

  private final ChaosOptions options;
  private final Consumer<String> progress;
  private final long began = System.nanoTime();
  private final ChaosHistoryStore folder;
  private final List<WorkloadRun> runs = Collections.synchronizedList(new ArrayList<>());
  private final Map<ChaosWorkload, JsonNode> expected = new EnumMap<>(ChaosWorkload.class);
  private final AtomicInteger next = new AtomicInteger();
  private volatile boolean over;

  private ChaosExperiment(ChaosOptions options, Consumer<String> progress) {
    this.options = options;
    this.progress = progress;
    this.folder = new ChaosHistoryStore(options.out());
  }

  /**
   * Runs the experiment. Takes the time of the faults, plus the time until all runs have ended.
   *
   * @param progress gets a line for each action; called from several threads
   * @throws IllegalArgumentException when the folder already has a history
   * @throws IOException when the stack does not start, or a server does not recover
   */
  public static ChaosVerdict run(ChaosOptions options, Consumer<String> progress)
      throws IOException, InterruptedException {
    return new ChaosExperiment(options, progress).run();
  }

  /** Evaluates a recorded history again. */
  public static ChaosVerdict check(Path folder) throws IOException {
    return ChaosVerdict.of(new ChaosHistoryStore(folder).read());
  }

  private long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }

  private ChaosVerdict run() throws IOException, InterruptedException {
    Path data = options.out().resolve("stack");
    if (Files.exists(data) || Files.exists(options.out().resolve("history.json"))) {
      throw new IllegalArgumentException(
          "--out " + options.out() + " already has a history: give another folder");
    }
    Files.createDirectories(options.out());
    Files.createFile(folder.ledger());
    // Creates the AOT caches of a stack in normal use; the faster a process starts, the more runs
    // meet a fault.
    Path caches = options.out().resolve("caches");
    StandaloneStack.makeAotCaches(caches, progress);
    DirectoryTreeDeleter.delete(caches);
    ChaosHistory history = record(data);
    folder.write(history);
    ChaosVerdict verdict = ChaosVerdict.of(history);
    if (verdict.ok()) { // Otherwise the logs are needed to analyse the violations.
      DirectoryTreeDeleter.delete(data);
    }
    return verdict;
  }

  private ChaosHistory record(Path data) throws IOException, InterruptedException {
    try (ProxiedStack wiring =
            ProxiedStack.open(data, options.out(), options.replicas(), settings());
        EffectServer effects = new EffectServer(folder.ledger());
        StandaloneStack stack = wiring.start();
        SpoolDisk spool = SpoolDisk.mount(data)) {
      // Stops all processes of the stack in every case, including Ctrl-C.
      Thread hook = new Thread(() -> abandon(stack, spool), "chaos-stop");
      Runtime.getRuntime().addShutdownHook(hook);
      List<ServiceReplica> replicas = wiring.replicate(stack);
      try (TraceReader reader = new TraceReader(stack.kafkaBootstrap(), this::now);
          TopicGrowthInjector topics = new TopicGrowthInjector(stack.kafkaBootstrap());
          WorkloadClient client =
              new WorkloadClient(
                  urls(stack, replicas),
                  stack.apiKey(),
                  folder.ledger(),
                  effects.url(),
                  this::now)) {
        undisturbed(client);
        FaultInjector injector =
            new FaultInjector(
                stack.data(),
                FaultableServer.of(stack, replicas),
                wiring.surroundings(spool),
                reader,
                topics,
                new CheckpointDamager(
                    stack.data().resolve(StackComponent.S3.label()), client::newestPacks),
                this::now,
                progress);
        ChaosHistory history = disturbed(injector, reader, client);
        Runtime.getRuntime().removeShutdownHook(hook);
        return history;
      }
    }
  }

  /**
   * Settings of both services that enable all features during faults: waiting runs are parked,
   * runners end and hand over, others wait for work. Leases are required with every other seed.
   */
  private Map<String, String> settings() {
    boolean leases = options.seed() % 2 != 0;
    progress.accept(leases ? "leases are required" : "leases are not required");
    return Map.of(
        "BATON_PARK_AFTER", "500ms",
        "BATON_RUNNER_MAX_LIFETIME", "1m",
        "BATON_LAUNCHER_WARM_SIZE", "1",
        "BATON_LEASE_REQUIRED", Boolean.toString(leases));
  }

  /** Returns the URLs of all orchestrators, bypassing the proxies. */
  private static List<String> urls(StandaloneStack stack, List<ServiceReplica> replicas) {
    return Stream.concat(
            Stream.of(stack.orchestratorUrl()),
            replicas.stream()
                .filter(replica -> replica.component() == StackComponent.ORCHESTRATOR)
                .map(ServiceReplica::url))
        .toList();
  }

  private void abandon(StandaloneStack stack, SpoolDisk spool) {
    try {
      stack.close();
      spool.close();
    } catch (IOException | IllegalStateException e) {
      progress.accept("the stack could not be stopped: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void undisturbed(WorkloadClient client) throws IOException, InterruptedException {
    Map<ChaosWorkload, String> started = new EnumMap<>(ChaosWorkload.class);
    for (ChaosWorkload workload : ChaosWorkload.values()) {
      client.push(workload);
      started.put(workload, client.create(workload, "undisturbed-" + workload.name()));
    }
    for (Map.Entry<ChaosWorkload, String> one : started.entrySet()) {
      JsonNode end = client.follow(one.getValue(), 0);
      String name = one.getKey().workflow();
      if (!end.path("status").asText().equals("completed")) {
        throw new IOException("undisturbed, " + name + " did not complete: " + end);
      }
      expected.put(one.getKey(), end.path("output"));
      progress.accept(
          "%6.1f s  undisturbed %s: %s".formatted(now() / 1000.0, name, end.path("output")));
    }
  }

  private ChaosHistory disturbed(FaultInjector injector, TraceReader reader, WorkloadClient client)
      throws IOException, InterruptedException {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < options.atOnce(); i++) {
      workers.add(Thread.ofVirtual().name("worker-" + i).start(() -> work(client)));
    }
    Thread list = Thread.ofVirtual().name("list").start(client::followList);
    long began = now();
    List<PlannedFault> schedule =
        FaultSchedule.of(options.seed(), options.time(), options.faults(), options.kinds());
    injector.run(schedule);
    TimeUnit.MILLISECONDS.sleep(Math.max(0, began + options.time().toMillis() - now()));
    over = true;
    injector.heal();
    long healed = now();
    progress.accept("%6.1f s  all faults healed".formatted(healed / 1000.0));
    client.endAt(healed + options.bound().toMillis());
    for (Thread worker : workers) {
      worker.join(options.bound().toMillis() * 2);
    }
    list.interrupt();
    list.join();
    List<LoggedRecord> log = reader.readWhole();
    look(client, log);
    return new ChaosHistory(
        new ChaosHistoryMetadata(
            ChaosHistoryMetadata.FORMAT, options.seed(), healed, now(), options.bound().toMillis()),
        List.copyOf(runs),
        log,
        reader.seen(),
        folder.effects(),
        client.answers(),
        injector.done());
  }

  /** Returns the n-th workload, from 0: a function of the seed. */
  private ChaosWorkload workload(int n) {
    return ChaosWorkload.choose(n, random(0, 2), random(n, 0));
  }

  /** Returns at which poll the n-th run is paused; 0 for most runs. A function of the seed. */
  private int pauseAt(int n) {
    Random random = random(n, 1);
    return random.nextInt(PAUSED_OF) == 0 ? 1 + random.nextInt(LATEST_PAUSE) : 0;
  }

  /** Creates random numbers; consecutive values of {@code n} must not give similar sequences. */
  private Random random(int n, int use) {
    Random random = new Random(options.seed() + use);
    return new Random(random.nextLong() ^ (n * 0x9E3779B97F4A7C15L));
  }

  /** Starts one run after the other, and follows each until it ends. */
  private void work(WorkloadClient client) {
    try {
      for (int n = next.getAndIncrement();
          !over || n < options.runs();
          n = next.getAndIncrement()) {
        ChaosWorkload workload = workload(n);
        String run = client.create(workload, "chaos-" + options.seed() + "-" + n);
        runs.add(
            new WorkloadRun(
                run, workload.workflow(), Objects.requireNonNull(expected.get(workload))));
        JsonNode end = client.follow(run, pauseAt(n));
        progress.accept(
            "%6.1f s  run %d %s %s: %s, epoch %s"
                .formatted(
                    now() / 1000.0,
                    n + 1,
                    run,
                    workload.workflow(),
                    end.path("status").asText("?"),
                    end.path("epoch").asText("?")));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      progress.accept("a worker has ended: " + e);
    }
  }

  /** Records the API's final responses: each run once more, and the store's copy of its trace. */
  private void look(WorkloadClient client, List<LoggedRecord> log) throws InterruptedException {
    for (WorkloadRun run : List.copyOf(runs)) {
      String last =
          log.stream()
              .filter(record -> record.run().equals(run.run()))
              .map(LoggedRecord::id)
              .reduce("", (_, id) -> id);
      try {
        client.lookAgain(run.run());
        if (!client.events(run.run(), last, STORE_BOUND_MS)) {
          progress.accept("the store's trace of run " + run.run() + " does not have " + last);
        }
      } catch (IOException e) {
        progress.accept("run " + run.run() + " cannot be read: " + e);
      }
    }
  }
}
