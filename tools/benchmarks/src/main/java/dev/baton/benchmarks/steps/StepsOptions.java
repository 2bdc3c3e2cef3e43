/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.arguments.BenchmarkArgumentParser;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Command line options of the benchmark.
 *
 * @param rounds number of turns of each system, 1 to 100
 * @param warmup number of unmeasured turns before, 0 to 100
 * @param json whether standard output gets JSON, a table otherwise
 * @param restate whether to measure Restate, too, if Node and npm are present
 * @param submitEach whether the runs of a burst are submitted one by one, as one batch otherwise
 * @param server a running orchestrator; null starts an embedded stack
 * @param kafka that server's Kafka as {@code host:port}
 * @param environment additional variables for components of the embedded stack, by component
 * @param profile the folder for a flight recording of each Java process; null for none
 * @param results the folder for the table, the figures and the plot; null for the default
 */
public record StepsOptions(
    int rounds,
    int warmup,
    boolean json,
    boolean restate,
    boolean submitEach,
    @Nullable URI server,
    @Nullable String kafka,
    Map<String, Map<String, String>> environment,
    @Nullable Path profile,
    @Nullable Path results) {

  public StepsOptions {
    environment = Map.copyOf(environment);
  }

  public static final String HELP =
      """
      benchmarks/run steps: no-op transform steps, in one run and in many concurrent runs

      Starts an embedded stack in a temporary folder (and, if node and npm are present, a
      Restate server), runs the same workload on both in turn and compares medians over the rounds.
      Writes steps.md, steps.json and steps.svg into benchmarks/results.

        -o json|table    what to print on standard output (default table)
        --rounds N       measured turns of each system, 1 to 100 (default 3)
        --warmup N       unmeasured turns before, 0 to 100 (default 8: a JVM compiles
                   for some 100,000 steps, and services run longer)
        --no-restate     only Baton and its broker's own limits
        --submit WHICH   batch: the runs of a burst in one request (default); each: one request each
        --server URL     measure this orchestrator instead of an embedded stack; requires --kafka
        --kafka H:P      that server's Kafka, whose trace is read
        --env C:NAME=V   additional environment variable for a component (kafka, postgres, s3,
                         checkpoint-store, orchestrator; runners get the orchestrator's)
        --profile DIR    also write a flight recording of each of Baton's Java processes there
        --results DIR    folder for the results
        --help           this

      Examples
        benchmarks/run steps
        benchmarks/run steps --rounds 5 -o json > figures.json
        benchmarks/run steps --no-restate --rounds 1 --profile /tmp/profile
        benchmarks/run steps --env orchestrator:MP_MESSAGING_INCOMING_TRACE_FETCH_MAX_WAIT_MS=5
        benchmarks/run steps --server http://127.0.0.1:7070 --kafka 127.0.0.1:40123
      """;

  private static final int MOST = 100;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static StepsOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 3;
    int warmup = 8;
    boolean json = false;
    boolean restate = true;
    boolean each = false;
    URI server = null;
    String kafka = null;
    Map<String, Map<String, String>> environment = new HashMap<>();
    Path profile = null;
    Path results = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "-o", "--output" -> json = left.oneOf(name, "table", "json").equals("json");
        case "--rounds" -> rounds = (int) left.number(name, 1, MOST);
        case "--warmup" -> warmup = (int) left.number(name, 0, MOST);
        case "--no-restate" -> restate = false;
        case "--submit" -> each = left.oneOf(name, "batch", "each").equals("each");
        case "--server" -> server = address(left.value(name));
        case "--kafka" -> kafka = left.value(name);
        case "--env" -> left.variable(name, environment);
        case "--profile" -> profile = Path.of(left.value(name));
        case "--results" -> results = Path.of(left.value(name));
        default -> throw new IllegalArgumentException("unknown argument " + name + "; see --help");
      }
    }
    if ((server == null) != (kafka == null)) {
      throw new IllegalArgumentException("--server and --kafka go together; see --help");
    }
    return new StepsOptions(
        rounds, warmup, json, restate, each, server, kafka, environment, profile, results);
  }

  private static URI address(String text) {
    if (text.matches("https?://[^/]+/?")) {
      return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    }
    throw new IllegalArgumentException("--server " + text + " does not match http://host:port");
  }
}
