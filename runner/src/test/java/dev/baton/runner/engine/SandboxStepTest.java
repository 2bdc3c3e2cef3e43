/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.sandbox.SandboxFactory;
import dev.baton.runner.sandbox.SandboxRequirement;
import dev.baton.runner.sandbox.SandboxSettings;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.secrets.SecretSourcePolicy;
import dev.baton.runner.steps.HttpAddressPolicy;
import dev.baton.runner.steps.SharedProgramLimiter;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs with steps in sandboxes, and runners that demand or cannot create them. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class SandboxStepTest {
  private final RunnerTestEnvironment services;

  SandboxStepTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunner runner(Map<String, String> settings, Map<String, String> environment)
      throws Exception {
    SandboxSettings sandboxes = SandboxSettings.read(key -> Optional.ofNullable(settings.get(key)));
    TestRunner runner =
        new TestRunner(
            services,
            new StepExecutorRegistry(
                name -> Optional.empty(),
                StepExecutorRegistry.DEFAULT_MAX_RESPONSE,
                AgentRuntime.none(),
                StepEnvironmentBuilder.ofProcess(List.of()),
                HttpAddressPolicy.DEFAULT,
                TlsSettings.NONE,
                SecretResolver.ofProcess(SecretSourcePolicy.parse(SecretSourcePolicy.DEFAULT)),
                new SandboxFactory(
                    sandboxes, services.data(), environment, HttpAddressPolicy.DEFAULT::check),
                SharedProgramLimiter.defaultMax()),
            Map.of());
    services.gateway.awaitHello(runner.id);
    return runner;
  }

  @Test
  void shouldKeepFilesOutputsAndPaths() throws Exception {
    SandboxRequirement.check();
    try (TestRunner runner = runner(Map.of(), System.getenv())) {
      TestRun run =
          new TestRun(
                  services,
                  """
                  name: inside
                  defaults: {sandbox: true}
                  steps:
                    - {id: make, shell: 'pwd > where; mkdir out; ln -s "$PWD/out" abs', sandbox: false}
                    - {id: add, shell: 'echo "$PWD" >> where; echo "{}" > abs/x.json', output: {file: abs/x.json}}
                    - {id: both, parallel: {branches: {a: [{id: in-a, shell: 'touch a; ls out', output: lines}]}}}
                    - {id: look, shell: 'sort -u where | wc -l; ls; env | grep -c BATON_SERVER || true', output: lines, sandbox: {network: host}}
                    - {id: last, transform: '[.steps.add.output, .steps.both.output, .steps.look.output]'}
                  """,
                  "{}")
              .start(runner.id);

      assertThat(run.awaitOutput().toString())
          .isEqualTo("[{},{\"a\":[\"x.json\"]},[\"1\",\"a\",\"abs\",\"out\",\"where\",\"0\"]]");
    }
  }

  @Test
  void shouldStartNoProgramWithoutTheDeclaredSandbox() throws Exception {
    Path witness = services.data().resolve("witness");
    try (TestRunner runner = runner(Map.of(), Map.of("PATH", "/nonexistent"))) {
      TestRun run =
          new TestRun(
                  services,
                  "name: outside\nsteps:\n- {id: a, shell: 'touch %s', retry: 3, sandbox: true}\n"
                      .formatted(witness),
                  "{}")
              .start(runner.id);

      run.awaitFailure();
      assertThat(run.events(TraceEvent.StepFailed.class))
          .singleElement()
          .satisfies(
              failed -> {
                assertThat(failed.error().code()).isEqualTo("sandbox_unavailable");
                assertThat(failed.error().message()).contains("install the package bubblewrap");
              });
      assertThat(witness).doesNotExist();
    }
  }

  @Test
  void shouldDemandASandboxOfEveryStep() throws Exception {
    SandboxRequirement.check();
    Path secret = Files.writeString(services.data().resolve("secret"), "secret");
    try (TestRunner runner = runner(Map.of("baton.sandbox.required", "true"), System.getenv())) {
      TestRun run =
          new TestRun(
                  services,
                  "name: all\nsteps:\n- {id: a, shell: 'cat %s || echo hidden', sandbox: false}\n"
                      .formatted(secret),
                  "{}")
              .start(runner.id);

      assertThat(run.awaitOutput().asText()).isEqualTo("hidden");
    }
  }
}
