/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcessStartTime;
import dev.baton.process.ProcfsProcessReader;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Starts runner processes that outlive the orchestrator: each in its own session, with files
 * instead of pipes. Thread-safe.
 */
@ApplicationScoped
public class RunnerProcessLauncher {
  static final String LOG_SUFFIX = ".log";

  private static final List<Path> SETSID =
      List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));
  private static final List<String> PRIVATE =
      List.of("BATON_DB_", "BATON_OBJECT_STORE_", "BATON_LAUNCHER_", "QUARKUS_");

  private final OrchestratorConfig config;
  private final String kafka;

  RunnerProcessLauncher(
      OrchestratorConfig config, @ConfigProperty(name = "kafka.bootstrap.servers") String kafka) {
    this.config = config;
    this.kafka = kafka;
  }

  /**
   * @param lease null for a pool runner, which receives one with each run
   */
  record Spec(
      String id,
      RunnerConnection.Mode mode,
      int slots,
      @Nullable String run,
      int epoch,
      @Nullable String lease) {}

  /** A process that was started or found. */
  record Started(ProcessHandle handle, long startedAtMs) {}

  boolean canStart() {
    return config.launcher().process().command().filter(command -> !command.isBlank()).isPresent();
  }

  /** Contains one workspace folder per run on this host. */
  Path runsFolder() {
    return work().resolve("runs");
  }

  /** Contains one output file per runner, named after it with {@link #LOG_SUFFIX}. */
  Path logFolder() {
    return config.data().toAbsolutePath().resolve("runners");
  }

  Path log(String runner) {
    return logFolder().resolve(runner + LOG_SUFFIX);
  }

  /**
   * @throws IOException when the command cannot be started; the message names it
   */
  Process start(Spec spec) throws IOException {
    Path log = log(spec.id());
    Files.createDirectories(log.getParent());
    Files.createDirectories(work());
    ProcessBuilder builder = new ProcessBuilder(command());
    builder.directory(work().toFile());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    environment(builder.environment(), spec);
    return builder.start();
  }

  /**
   * Finds a runner's process by the name in its environment, excluding the processes of its steps.
   */
  Optional<Started> findByName(String runner) {
    return ProcfsProcessReader.all().stream()
        .filter(entry -> !entry.isDead())
        .filter(
            entry -> {
              Map<String, String> environment =
                  ProcfsProcessReader.environment(entry.pid(), "BATON_");
              return runner.equals(environment.get("BATON_RUNNER_ID"))
                  && !environment.containsKey("BATON_STEP_ID");
            })
        .min(java.util.Comparator.comparingLong(ProcessEntry::startTicks))
        .flatMap(entry -> ProcessHandle.of(entry.pid()))
        .map(handle -> new Started(handle, ProcessStartTime.of(handle)));
  }

  private Path work() {
    return config.data().toAbsolutePath().resolve("work");
  }

  private List<String> command() throws IOException {
    List<String> command = new ArrayList<>();
    // setsid replaces itself with the command, so pid and exit code are those of the command.
    SETSID.stream()
        .filter(Files::isExecutable)
        .findFirst()
        .ifPresent(s -> command.add(s.toString()));
    String configured =
        config
            .launcher()
            .process()
            .command()
            .orElseThrow(() -> new IOException("baton.launcher.process.command is not set"));
    configured.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(command::add);
    return command;
  }

  private void environment(Map<String, String> environment, Spec spec) {
    environment.keySet().removeIf(name -> PRIVATE.stream().anyMatch(name::startsWith));
    environment.remove("BATON_RUN_ID");
    environment.remove("BATON_EPOCH");
    environment.remove("BATON_STEP_ID");
    environment.put("BATON_RUNNER_ID", spec.id());
    environment.put("BATON_RUNNER_MODE", spec.mode().word());
    environment.put("BATON_RUNNER_SLOTS", Integer.toString(spec.slots()));
    if (spec.run() != null) {
      environment.put("BATON_RUN_ID", spec.run());
      environment.put("BATON_EPOCH", Integer.toString(spec.epoch()));
    }
    if (spec.lease() != null) {
      environment.put("BATON_LEASE", spec.lease());
    }
    environment.put("BATON_RUNNER_MAX_LIFETIME", config.runner().maxLifetime());
    environment.put("BATON_ORCHESTRATOR_URL", list(config.orchestratorUrl()));
    environment.put("BATON_STORE_URL", list(config.storeUrl()));
    environment.put("KAFKA_BOOTSTRAP_SERVERS", kafka);
    environment.put("BATON_DATA", work().toString());
  }

  private static String list(List<URI> urls) {
    return urls.stream().map(URI::toString).collect(Collectors.joining(","));
  }
}
