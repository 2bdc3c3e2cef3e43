/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import dev.baton.runner.Runner;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.runner.steps.StepFunction;
import java.util.Locale;
import java.util.Optional;

/**
 * A runner process without packaging: does what {@code RunnerMain} does, on the tests' class path.
 */
public final class RunnerProgram {
  private RunnerProgram() {}

  private static Optional<StepFunction> function(String name) {
    return name.equals(CarrierBlockingFunction.NAME)
        ? Optional.of(new CarrierBlockingFunction())
        : Optional.empty();
  }

  public static void main(String[] args) throws InterruptedException {
    RunnerConfig config =
        RunnerConfig.read(
            key ->
                Optional.ofNullable(System.getenv(key.replace('.', '_').toUpperCase(Locale.ROOT))));
    int code;
    try (Runner runner = new Runner(config, new StepExecutorRegistry(RunnerProgram::function))) {
      Runtime.getRuntime().addShutdownHook(new Thread(runner::terminate));
      code = runner.awaitExit().code();
    }
    System.exit(code);
  }
}
