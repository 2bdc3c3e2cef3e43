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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Command line options of the benchmark.
 *
 * @param rounds number of turns of each system, 1 to 100
 * @param warmup number of unmeasured turns before, 0 to 100
 * @param json whether standard output gets JSON, a table otherwise
 * @param kind what each step does
 * @param compact whether the embedded stack uses less memory, as of {@code baton up --compact}
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
    MeasuredStepKind kind,
    boolean compact,
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

  private static final int MOST = 100;

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  public static StepsOptions parse(List<String> arguments) {
    BenchmarkArgumentParser left = new BenchmarkArgumentParser(arguments);
    int rounds = 3;
    int warmup = 8;
    boolean restate = true;
    boolean each = false;
    MeasuredStepKind kind = MeasuredStepKind.TRANSFORM;
    boolean compact = false;
    URI server = null;
    String kafka = null;
    Path profile = null;
    while (!left.isEmpty()) {
      String name = left.next();
      switch (name) {
        case "--rounds" -> rounds = (int) left.number(name, 1, MOST);
        case "--warmup" -> warmup = (int) left.number(name, 0, MOST);
        case "--no-restate" -> restate = false;
        case "--submit" -> each = left.oneOf(name, "batch", "each").equals("each");
        case "--kind" ->
            kind =
                left.oneOf(name, MeasuredStepKind.TRANSFORM.label(), MeasuredStepKind.WAIT.label())
                        .equals(MeasuredStepKind.WAIT.label())
                    ? MeasuredStepKind.WAIT
                    : MeasuredStepKind.TRANSFORM;
        case "--compact" -> compact = true;
        case "--server" -> server = address(left.value(name));
        case "--kafka" -> kafka = left.value(name);
        case "--env" -> left.variable(name);
        case "--profile" -> profile = Path.of(left.value(name));
        default -> left.common(name);
      }
    }
    if ((server == null) != (kafka == null)) {
      throw new IllegalArgumentException("--server and --kafka go together; see --help");
    }
    if (server != null && compact) {
      throw new IllegalArgumentException(
          "--compact starts a stack, --server names one; see --help");
    }
    return new StepsOptions(
        rounds,
        warmup,
        left.json(),
        kind,
        compact,
        restate,
        each,
        server,
        kafka,
        left.environment(),
        profile,
        left.results());
  }

  private static URI address(String text) {
    if (text.matches("https?://[^/]+/?")) {
      return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    }
    throw new IllegalArgumentException("--server " + text + " does not match http://host:port");
  }
}
