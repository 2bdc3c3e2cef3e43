/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.sandbox.SandboxFactory;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.secrets.SecretSourcePolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Selects the executor of a step by its kind, for the kinds that the engine does not execute
 * itself. Thread-safe.
 */
public final class StepExecutorRegistry {
  /** Default limit of the body of an http step's response: 10 MiB. */
  public static final int DEFAULT_MAX_RESPONSE = 10 << 20;

  private final ShellStepExecutor shell = new ShellStepExecutor();
  private final HttpStepExecutor http;
  private final TransformStepExecutor transform = new TransformStepExecutor();
  private final FnStepExecutor fn;
  private final AgentRuntime agents;
  private final StepEnvironmentBuilder environment;
  private final SecretResolver secrets;
  private final SandboxFactory sandboxes;
  private final SharedProgramLimiter programs;

  /**
   * @param functions the beans that {@code fn} steps call, by name
   */
  public StepExecutorRegistry(Function<String, Optional<StepFunction>> functions) {
    this(functions, DEFAULT_MAX_RESPONSE);
  }

  /**
   * @param functions the beans that {@code fn} steps call, by name
   * @param maxResponse limit in bytes of the body of an http step's response
   */
  public StepExecutorRegistry(Function<String, Optional<StepFunction>> functions, int maxResponse) {
    this(functions, maxResponse, AgentRuntime.none());
  }

  /**
   * @param agents what agent steps use
   */
  public StepExecutorRegistry(
      Function<String, Optional<StepFunction>> functions, int maxResponse, AgentRuntime agents) {
    this(
        functions,
        maxResponse,
        agents,
        StepEnvironmentBuilder.ofProcess(List.of()),
        HttpAddressPolicy.DEFAULT,
        TlsSettings.NONE,
        SecretResolver.ofProcess(SecretSourcePolicy.parse(SecretSourcePolicy.DEFAULT)),
        SandboxFactory.ofProcess(Path.of("/nonexistent"), HttpAddressPolicy.DEFAULT::check),
        SharedProgramLimiter.defaultMax());
  }

  /**
   * @param environment builds that of the processes of steps
   * @param addresses to which http steps may connect
   * @param tls whose authorities servers of http steps may have, in addition to those of the JDK
   * @param secrets resolves the secrets of workflows
   * @param sandboxes creates those of steps
   * @param programs limit of the programs that runs on a shared runner execute at the same time
   */
  public StepExecutorRegistry(
      Function<String, Optional<StepFunction>> functions,
      int maxResponse,
      AgentRuntime agents,
      StepEnvironmentBuilder environment,
      HttpAddressPolicy addresses,
      TlsSettings tls,
      SecretResolver secrets,
      SandboxFactory sandboxes,
      int programs) {
    this.agents = agents;
    this.environment = environment;
    this.secrets = secrets;
    this.sandboxes = sandboxes;
    this.programs = new SharedProgramLimiter(programs);
    this.fn = new FnStepExecutor(functions);
    this.http = new HttpStepExecutor(maxResponse, addresses, tls);
  }

  public AgentRuntime agents() {
    return agents;
  }

  /** Builds the environment of the processes of steps. */
  public StepEnvironmentBuilder environment() {
    return environment;
  }

  /** Creates the sandboxes of steps. */
  public SandboxFactory sandboxes() {
    return sandboxes;
  }

  /** Limits the programs of runs on a shared runner. */
  public SharedProgramLimiter programs() {
    return programs;
  }

  /** Resolves the secrets of workflows. */
  public SecretResolver secrets() {
    return secrets;
  }

  /**
   * @throws InterruptedException when the run is stopped
   * @throws IllegalArgumentException for a kind that the engine executes: parallel, approval, wait,
   *     agent
   */
  public StepResult execute(StepKind kind, StepContext context) throws InterruptedException {
    return switch (kind) {
      case StepKind.Shell it -> shell.execute(it, context);
      case StepKind.Http it -> http.execute(it, context);
      case StepKind.Transform it -> transform.execute(it, context);
      case StepKind.Fn it -> fn.execute(it, context);
      case StepKind.Agent it -> throw notHere(it);
      case StepKind.Parallel it -> throw notHere(it);
      case StepKind.Approval it -> throw notHere(it);
      case StepKind.Wait it -> throw notHere(it);
    };
  }

  private static IllegalArgumentException notHere(StepKind kind) {
    return new IllegalArgumentException(kind.word() + " steps are executed by the engine");
  }
}
