/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.bench;

import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.journal.ProducerSettings;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Measures {@code transform} steps against a real broker that flushes every message: one run of 200
 * steps (time per step), and 200 concurrent runs of 10 steps (steps per second). Run its main with
 * the tests' class path; three rounds of each, the first for warm-up.
 */
public final class StepsBench {
  private static final int STEPS = 200;
  private static final int RUNS = 200;
  private static final int STEPS_PER_RUN = 10;

  private StepsBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    try (RunnerTestEnvironment services = new RunnerTestEnvironment();
        TestRunner runner = new TestRunner(services, Map.of())) {
      services.gateway.awaitHello(runner.id);
      TestRun wide = new TestRun(services, workflow("many", STEPS_PER_RUN), "{\"n\": 1}");
      wide.nextEpoch();
      for (int round = 0; round < rounds; round++) {
        floor(services);
        one(services, runner);
        many(services, runner, wide.assign());
      }
    }
    System.exit(0);
  }

  private static String workflow(String name, int steps) {
    StringBuilder yaml = new StringBuilder("name: " + name + "\nrunner: shared\nsteps:\n");
    for (int i = 0; i < steps; i++) {
      yaml.append("  - {id: s").append(i).append(", transform: '.input.n'}\n");
    }
    return yaml.toString();
  }

  /** Measures what the broker alone needs for an append of 400 bytes. */
  private static void floor(RunnerTestEnvironment services) throws Exception {
    long[] micros = new long[STEPS];
    try (Producer<String, byte[]> producer =
        ProducerSettings.durable(Map.of("bootstrap.servers", services.kafka()), "floor")) {
      for (int i = 0; i < STEPS; i++) {
        long began = System.nanoTime();
        var unused =
            producer.send(new ProducerRecord<>("baton.trace", "floor", new byte[400])).get();
        micros[i] = (System.nanoTime() - began) / 1_000;
      }
    }
    System.out.println("floor:     append " + percentiles(micros));
  }

  private static void one(RunnerTestEnvironment services, TestRunner runner) throws Exception {
    TestRun run = new TestRun(services, workflow("one", STEPS), "{\"n\": 1}").start(runner.id);
    List<TraceRecord> records = run.awaitEnd();
    List<Long> micros = new ArrayList<>();
    TraceRecord before = null;
    for (TraceRecord record : records) {
      if (record.event() instanceof TraceEvent.StepCompleted) {
        if (before != null) {
          micros.add(Duration.between(before.time(), record.time()).toNanos() / 1_000);
        }
        before = record;
      }
    }
    System.out.println(
        "one run:   step " + percentiles(micros.stream().mapToLong(l -> l).toArray()));
  }

  private static void many(RunnerTestEnvironment services, TestRunner runner, Assign pattern)
      throws Exception {
    List<Assign> assigns = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      assigns.add(pattern.toBuilder().setRun(RunId.next()).build());
    }
    long began = System.nanoTime();
    for (Assign assign : assigns) {
      services.gateway.assign(runner.id, assign);
    }
    for (Assign assign : assigns) {
      services.gateway.awaitReleased(assign.getRun(), 1);
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    long[] micros = new long[RUNS];
    for (int i = 0; i < RUNS; i++) {
      List<TraceRecord> records =
          services.trace.await(
              assigns.get(i).getRun(),
              all -> !all.isEmpty() && all.getLast().event() instanceof TraceEvent.RunCompleted);
      micros[i] =
          Duration.between(records.getFirst().time(), records.getLast().time()).toNanos() / 1_000;
    }
    System.out.printf(
        "many runs: %.0f steps/s, run %s%n", RUNS * STEPS_PER_RUN / seconds, percentiles(micros));
  }

  private static String percentiles(long[] micros) {
    Arrays.sort(micros);
    return "p50 %.2f ms, p99 %.2f ms"
        .formatted(
            micros[micros.length / 2] / 1e3,
            micros[Math.min(micros.length - 1, micros.length * 99 / 100)] / 1e3);
  }
}
