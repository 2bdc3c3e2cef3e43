/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.agent.acp.AcpDriver;
import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.agent.command.CommandDriver;
import dev.baton.agent.loop.LoopDriver;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.protocol.clock.ClockGuard;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.config.ConfigException;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.sandbox.SandboxFactory;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.steps.StepExecutorRegistry;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;
import java.util.List;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/**
 * Runs {@code baton-runner}: executes the runs that its environment or the orchestrator assigns,
 * and exits with a {@link RunnerExitCode}. With {@code --train} it also does what a warm runner
 * does before it is idle, so that the JDK's AOT cache of this process contains it.
 */
public final class RunnerApplication implements QuarkusApplication {
  private static final Logger LOG = Logger.getLogger(RunnerApplication.class);

  private static final String TRAIN = "--train";

  private final Config settings;
  private final StepFunctionRegistry functions;

  @Inject
  public RunnerApplication(Config settings, StepFunctionRegistry functions) {
    this.settings = settings;
    this.functions = functions;
  }

  @Override
  public int run(String... args) throws InterruptedException {
    RunnerConfig config;
    try {
      config = RunnerConfig.read(key -> settings.getOptionalValue(key, String.class));
    } catch (ConfigException e) {
      LOG.error(e.getMessage());
      return RunnerExitCode.CONFIG.code();
    }
    ClockGuard.start(LOG::fatal);
    StepExecutorRegistry executors =
        new StepExecutorRegistry(
            functions::find,
            config.httpMaxResponse(),
            new AgentRuntime(
                config.agents(),
                List.of(
                    new ClaudeDriver(),
                    new CodexDriver(),
                    new OpenCodeDriver(),
                    new AcpDriver(),
                    new CommandDriver(),
                    new LoopDriver())),
            StepEnvironmentBuilder.ofProcess(config.stepEnvironment()),
            config.httpAddresses(),
            config.tls(),
            SecretResolver.ofProcess(config.secretSources(), config.vault(), config.tls()),
            new SandboxFactory(
                config.sandboxes(), config.data(), System.getenv(), config.httpAddresses()::check),
            config.programs());
    try (Runner runner = new Runner(config, executors)) {
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("terminate").unstarted(runner::terminate));
      if (List.of(args).contains(TRAIN)) {
        runner.warmUp();
      }
      return runner.awaitExit().code();
    }
  }
}
