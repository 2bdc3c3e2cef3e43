/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import dev.baton.runner.Runner;
import dev.baton.runner.RunnerExitCode;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.runner.steps.StepFunction;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A shared runner within the test's process. */
public final class TestRunner implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  public final String id = "runner-" + NUMBER.incrementAndGet();
  public final Path data;
  private final Runner runner;
  public final CompletableFuture<RunnerExitCode> exit = new CompletableFuture<>();

  public TestRunner(RunnerTestEnvironment services, Map<String, StepFunction> functions) {
    this(services, functions, Map.of());
  }

  /**
   * @param settings configuration keys in addition to the usual ones
   */
  public TestRunner(
      RunnerTestEnvironment services,
      Map<String, StepFunction> functions,
      Map<String, String> settings) {
    this(
        services,
        new StepExecutorRegistry(name -> Optional.ofNullable(functions.get(name))),
        settings);
  }

  /**
   * @param settings configuration keys in addition to the usual ones
   */
  public TestRunner(
      RunnerTestEnvironment services,
      StepExecutorRegistry executors,
      Map<String, String> settings) {
    data = services.data().resolve(id);
    Map<String, String> environment = environment(services, id, data);
    environment.putAll(settings);
    runner =
        new Runner(RunnerConfig.read(key -> Optional.ofNullable(environment.get(key))), executors);
    Thread.ofVirtual().start(this::await);
  }

  private void await() {
    try {
      exit.complete(runner.awaitExit());
    } catch (InterruptedException e) {
      exit.completeExceptionally(e);
    }
  }

  /** Returns the configuration keys of a shared runner. */
  static Map<String, String> environment(RunnerTestEnvironment services, String id, Path data) {
    Map<String, String> keys = new HashMap<>();
    keys.put("baton.runner.id", id);
    keys.put("baton.runner.mode", "shared");
    keys.put("baton.orchestrator.url", services.url());
    keys.put("baton.store.url", services.url());
    keys.put("kafka.bootstrap.servers", services.kafka());
    keys.put("baton.data", data.toString());
    keys.put("baton.checkpoint.patience", "1s");
    return keys;
  }

  public void terminate() {
    runner.terminate();
  }

  @Override
  public void close() {
    runner.close();
  }
}
