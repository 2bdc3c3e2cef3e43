/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.loop.LoopDriver;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.agents.AgentSettings;
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
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An agent whose processes are in a sandbox. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class SandboxAgentTest {
  private final RunnerTestEnvironment services;

  SandboxAgentTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private static ScriptedReply shell(String command) {
    return ScriptedReply.call("shell", "{\"command\": \"" + command.replace("\"", "\\\"") + "\"}");
  }

  @Test
  void shouldReachTheModelAndNothingElseWithoutANetwork() throws Exception {
    SandboxRequirement.check();
    Path secret = Files.writeString(services.data().resolve("agent-secret"), "secret");
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        ScriptedModelServer model =
            ScriptedModelServer.start(
                ModelScript.byTurn(
                    List.of(
                        shell("cat %s > seen; echo one >> lines".formatted(secret)),
                        shell(
                            "bash -c '(exec 3<>/dev/tcp/127.0.0.1/%d) && echo open >> seen'; true"
                                .formatted(other.getLocalPort())),
                        shell("ls -d /proc/[0-9]* | wc -l >> lines; pwd >> lines"),
                        ScriptedReply.text("The end."))));
        AgentRuntime agents =
            new AgentRuntime(
                new AgentSettings(
                    Map.of(
                        "anthropic-messages", new ModelUpstream(model.baseUrl(), null, Map.of())),
                    Optional.empty(),
                    Optional.empty(),
                    Set.of(),
                    TlsSettings.NONE),
                List.of(new LoopDriver()));
        TestRunner runner =
            new TestRunner(
                services,
                new StepExecutorRegistry(
                    name -> Optional.empty(),
                    StepExecutorRegistry.DEFAULT_MAX_RESPONSE,
                    agents,
                    StepEnvironmentBuilder.ofProcess(List.of()),
                    HttpAddressPolicy.DEFAULT,
                    TlsSettings.NONE,
                    SecretResolver.ofProcess(SecretSourcePolicy.parse(SecretSourcePolicy.DEFAULT)),
                    new SandboxFactory(
                        SandboxSettings.NONE,
                        services.data(),
                        System.getenv(),
                        HttpAddressPolicy.DEFAULT::check),
                    SharedProgramLimiter.defaultMax()),
                Map.of())) {
      services.gateway.awaitHello(runner.id);
      TestRun run =
          new TestRun(
                  services,
                  """
                  name: boxed
                  steps:
                    - id: work
                      agent: {use: loop, model: claude-sonnet-4-5, prompt: Work.}
                      sandbox: true
                    - {id: look, shell: 'cat lines; echo "seen: $(cat seen)"', output: lines}
                  """,
                  "{}")
              .start(runner.id);

      JsonNode lines = run.awaitOutput();
      assertThat(lines.get(0).asText()).isEqualTo("one");
      assertThat(lines.get(1).asInt()).as("visible processes").isBetween(1, 20);
      assertThat(lines.get(3).asText()).isEqualTo("seen: ");
      assertThat(model.requests()).hasSize(4);
      assertThat(run.events(TraceEvent.ModelAnswered.class)).hasSize(4);
    }
  }
}
