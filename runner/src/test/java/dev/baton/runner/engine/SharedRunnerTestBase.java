/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.steps.StepFunction;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Base class of tests whose runs all use one shared runner. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedRunnerTestBase {
  final RunnerTestEnvironment services;
  final Map<String, StepFunction> functions = new ConcurrentHashMap<>();
  final TestRunner runner;

  SharedRunnerTestBase(RunnerTestEnvironment services) {
    this.services = services;
    this.runner = new TestRunner(services, functions);
  }

  @BeforeAll
  void attach() throws Exception {
    services.gateway.awaitHello(runner.id);
  }

  @AfterAll
  void close() {
    runner.close();
  }

  final TestRun run(String yaml, String input) throws Exception {
    return new TestRun(services, yaml, input).start(runner.id);
  }

  final TestRun run(String yaml) throws Exception {
    return run(yaml, "{}");
  }
}
