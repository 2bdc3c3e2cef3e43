/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.api.model.Capability;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * Starts the whole of Baton from its images and kills the container of a runner in the middle of a
 * step that writes files.
 */
@ExtendWith(DockerEngineCondition.class)
class BatonFailoverTest {
  private static final int READABLE = 0444;

  /** A step that completed twice, or whose files were not restored, changes the last output. */
  private static final String WORKFLOW =
      """
      name: files
      steps:
        - {id: before, shell: 'echo before >> steps'}
        - id: write
          shell: |
            echo write >> steps
            for i in $(seq 40); do
              echo "row $i" >> rows
              echo "wrote $i"
              sleep 0.1
            done
        - {id: result, shell: 'echo result >> steps; cat steps; cksum rows; wc -l < rows'}
      """;

  private static final String MIDDLE = "wrote 10";
  private static final List<String> COMPLETED = List.of("before", "write", "result");

  private final String adminKey =
      "bk_%s_%s"
          .formatted(
              UUID.randomUUID().toString().replace("-", "").substring(0, 12),
              ServerContainerGroup.secret().substring(0, 43));
  private final String attachToken = ServerContainerGroup.secret();

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldContinueARunWhoseRunnerContainerIsKilled() throws Exception {
    ComposeImageResolver images = ComposeImageResolver.ofProject();
    DockerImageName runnerImage = images.built("runner");
    DockerImageName storeImage = images.built("checkpoint-store");
    DockerImageName orchestratorImage = images.built("orchestrator");
    try (ServerContainerGroup servers = new ServerContainerGroup(images)) {
      try {
        startStore(servers, storeImage);
        OrchestratorApiClient api = api(startOrchestrator(servers, orchestratorImage));
        // Each executes one run and ends; the third is the replacement.
        List<GenericContainer<?>> runners =
            List.of(
                startRunner(servers, runnerImage, "runner-1"),
                startRunner(servers, runnerImage, "runner-2"),
                startRunner(servers, runnerImage, "runner-3"));
        api.store(WORKFLOW);

        String undisturbed = api.start("files");
        List<String> expected = outputOf(api, undisturbed, () -> {});
        String killed = api.start("files");
        List<String> actual = outputOf(api, killed, () -> kill(runners, killed));

        assertThat(api.run(undisturbed).path("epoch").asInt()).isEqualTo(1);
        assertThat(api.run(killed).path("epoch").asInt()).isEqualTo(2);
        assertThat(expected).startsWith("before", "write", "result").endsWith("40");
        assertThat(actual).isEqualTo(expected);
        assertThat(api.completedSteps(undisturbed)).isEqualTo(COMPLETED);
        assertThat(api.completedSteps(killed)).isEqualTo(COMPLETED);
      } catch (Exception | AssertionError e) {
        System.out.println(servers.logs());
        throw e;
      }
    }
  }

  /** Follows the log of a run until it ends; acts once, in the middle of the step that writes. */
  private static List<String> outputOf(OrchestratorApiClient api, String run, Runnable middle)
      throws Exception {
    Set<String> done = new HashSet<>();
    List<JsonNode> lines =
        api.followLog(
            run,
            line -> {
              if (line.path("text").asText().equals(MIDDLE) && done.add(MIDDLE)) {
                middle.run();
              }
            });
    assertThat(done).as("the log has no line '%s': %s", MIDDLE, lines).isNotEmpty();
    assertThat(api.run(run).path("status").asText()).as("%s", api.run(run)).isEqualTo("completed");
    return lines.stream()
        .filter(line -> line.path("step").asText().equals("result"))
        .map(line -> line.path("text").asText().strip())
        .toList();
  }

  private static void kill(List<GenericContainer<?>> runners, String run) {
    GenericContainer<?> holder =
        runners.stream().filter(runner -> has(runner, run)).findFirst().orElseThrow();
    holder.getDockerClient().killContainerCmd(holder.getContainerId()).exec();
  }

  private static boolean has(GenericContainer<?> runner, String run) {
    try {
      return runner.isRunning()
          && runner.execInContainer("test", "-d", "/work/runs/" + run).getExitCode() == 0;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void startStore(ServerContainerGroup servers, DockerImageName image) {
    Map<String, String> environment = new HashMap<>(serviceEnvironment(servers));
    environment.put("BATON_STORE_INSTANCE", "checkpoint-store");
    environment.put("BATON_HTTP_ALLOWED_HOSTS", "checkpoint-store");
    environment.put("BATON_OBJECT_STORE_ENDPOINT", "http://s3:9000");
    environment.put("BATON_OBJECT_STORE_ACCESS_KEY", servers.accessKey);
    environment.put("BATON_OBJECT_STORE_SECRET_KEY", servers.secretKey);
    servers.start(service(image).withEnv(environment), "checkpoint-store");
  }

  private GenericContainer<?> startOrchestrator(
      ServerContainerGroup servers, DockerImageName image) {
    return servers.start(
        service(image)
            .withEnv(serviceEnvironment(servers))
            .withEnv("BATON_ATTACH_TOKENS", attachToken)
            .withEnv("BATON_HTTP_ALLOWED_HOSTS", ServerContainerGroup.host()),
        "orchestrator",
        ServerContainerGroup.publish(0, ServerContainerGroup.ORCHESTRATOR_PORT));
  }

  private GenericContainer<?> service(DockerImageName image) {
    return new GenericContainer<>(image)
        .withCopyToContainer(Transferable.of(adminKey, READABLE), "/run/secrets/admin-key")
        .waitingFor(Wait.forHealthcheck().withStartupTimeout(java.time.Duration.ofMinutes(3)));
  }

  private Map<String, String> serviceEnvironment(ServerContainerGroup servers) {
    return Map.of(
        "KAFKA_BOOTSTRAP_SERVERS", "kafka:9092",
        "BATON_DB_HOST", "postgres",
        "BATON_DB_PASSWORD", servers.databasePassword,
        "BATON_STORE_URL", "http://checkpoint-store:8082",
        "BATON_ORCHESTRATOR_URL", "http://orchestrator:7070",
        "BATON_LEASE_REQUIRED", "true",
        "BATON_HEARTBEAT_INTERVAL", "1s",
        "BATON_HEARTBEAT_TIMEOUT", "5s",
        "BATON_IDENTITY_ADMIN_KEYS_FILE", "/run/secrets/admin-key");
  }

  /** As docker-compose.yml starts it: no capabilities, nothing to write but its own folders. */
  private GenericContainer<?> startRunner(
      ServerContainerGroup servers, DockerImageName image, String name) {
    GenericContainer<?> runner =
        new GenericContainer<>(image)
            .withEnv("KAFKA_BOOTSTRAP_SERVERS", "kafka:9092")
            .withEnv("BATON_STORE_URL", "http://checkpoint-store:8082")
            .withEnv("BATON_ORCHESTRATOR_URL", "http://orchestrator:7070")
            .withEnv("BATON_ATTACH_TOKEN", attachToken)
            .withTmpFs(
                Map.of(
                    "/work", "exec,mode=0700,uid=10001,gid=10001,size=256m",
                    "/tmp", "exec,mode=1777,size=256m",
                    "/home/baton", "exec,mode=0700,uid=10001,gid=10001,size=64m"))
            .withCreateContainerCmdModifier(
                create ->
                    Objects.requireNonNull(create.getHostConfig())
                        .withReadonlyRootfs(true)
                        .withCapDrop(Capability.ALL)
                        .withSecurityOpts(List.of("no-new-privileges:true")));
    return servers.start(runner, name);
  }

  private OrchestratorApiClient api(GenericContainer<?> orchestrator) {
    return new OrchestratorApiClient(
        "http://%s:%d"
            .formatted(
                ServerContainerGroup.host(),
                orchestrator.getMappedPort(ServerContainerGroup.ORCHESTRATOR_PORT)),
        adminKey);
  }
}
