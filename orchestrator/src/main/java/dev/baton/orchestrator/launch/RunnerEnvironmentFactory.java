/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchSpec;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.AttachTokenSigner;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.lease.LeaseIssuer;
import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.TlsSettings;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Builds the specifications of runners, with the variables that every launcher passes to them. */
@ApplicationScoped
class RunnerEnvironmentFactory {
  private final OrchestratorConfig config;
  private final LeaseIssuer leases;
  private final AttachTokenSigner tokens;
  private final String kafka;
  private final Map<String, String> security;
  private final Map<String, String> tls;

  RunnerEnvironmentFactory(
      OrchestratorConfig config,
      LeaseIssuer leases,
      AttachTokenSigner tokens,
      @ConfigProperty(name = "kafka.bootstrap.servers") String kafka,
      Config values) {
    this.config = config;
    this.leases = leases;
    this.tokens = tokens;
    this.kafka = kafka;
    security = security(config.runner().kafkaClientFile(), values);
    tls =
        new TlsSettings(
                config.tls().settings().trust(),
                config.runner().tlsCertificate(),
                config.runner().tlsKey())
            .environment();
  }

  /** Files are passed by their paths, so that no secret is in the variables of a process. */
  private static Map<String, String> security(Optional<Path> clientFile, Config values) {
    return KafkaSecuritySettings.environment(
        clientFile.isPresent()
            ? key ->
                key.equals(KafkaSecuritySettings.CLIENT_FILE)
                    ? clientFile.map(Path::toString)
                    : Optional.empty()
            : key -> values.getOptionalValue(key, String.class));
  }

  /** A runner of its own for the run. */
  LaunchSpec isolated(String runner, String run, int epoch, String project, RunnerPlace place) {
    Map<String, String> environment = environment(runner, RunnerConnection.Mode.ISOLATED, 1, place);
    environment.put("BATON_RUN_ID", run);
    environment.put("BATON_EPOCH", Integer.toString(epoch));
    String lease = leases.issue(run, epoch, project);
    if (lease != null) {
      environment.put("BATON_LEASE", lease);
    }
    return new LaunchSpec(runner, run, epoch, place.pool(), environment);
  }

  /** A runner that gets its runs, with their leases, after it has attached. */
  LaunchSpec pooled(String runner, RunnerConnection.Mode mode, int slots, RunnerPlace place) {
    return new LaunchSpec(runner, null, 0, place.pool(), environment(runner, mode, slots, place));
  }

  private Map<String, String> environment(
      String runner, RunnerConnection.Mode mode, int slots, RunnerPlace place) {
    Map<String, String> environment = new HashMap<>();
    environment.put("BATON_RUNNER_ID", runner);
    environment.put("BATON_ATTACH_TOKEN", tokens.first(runner));
    environment.put("BATON_RUNNER_MODE", mode.word());
    environment.put("BATON_RUNNER_SLOTS", Integer.toString(slots));
    environment.put("BATON_RUNNER_LAUNCHER", place.launcher());
    environment.put("BATON_RUNNER_POOL", place.pool());
    environment.put("BATON_RUNNER_LABELS", labels(place.labels()));
    environment.put("BATON_RUNNER_MAX_LIFETIME", config.runner().maxLifetime());
    environment.put("BATON_ORCHESTRATOR_URL", list(config.orchestratorUrl()));
    environment.put("BATON_STORE_URL", list(config.storeUrl()));
    environment.put("KAFKA_BOOTSTRAP_SERVERS", kafka);
    environment.putAll(security);
    environment.putAll(tls);
    return environment;
  }

  private static String labels(Map<String, String> labels) {
    return new TreeMap<>(labels)
        .entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(","));
  }

  private static String list(List<URI> urls) {
    return urls.stream().map(URI::toString).collect(Collectors.joining(","));
  }

  /** For a message about a runner: null for one without a run. */
  static @Nullable Integer epochOf(LaunchSpec spec) {
    return spec.run() == null ? null : Integer.valueOf(spec.epoch());
  }
}
