/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.orchestrator.notification.NotificationWriter;
import dev.baton.orchestrator.notification.WebhookSecretParser;
import dev.baton.protocol.clock.HeartbeatBounds;
import dev.baton.protocol.net.WebRequestPolicy;
import dev.baton.protocol.topic.TopicRequirements;
import dev.baton.protocol.workflow.DurationParser;
import dev.baton.protocol.workflow.HeartbeatSettings;
import dev.baton.server.DefaultCredentialChecker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Validates the settings at startup. An invalid one stops the start with a message that names key,
 * value and allowed values.
 */
public final class OrchestratorConfigValidator {
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(HeartbeatBounds.MIN_TIMEOUT_MS);
  private static final Duration MIN_LIFETIME = Duration.ofMinutes(1);
  private static final Duration MIN_PARK_AFTER = Duration.ofMillis(100);
  private static final int MAX_SLOTS = 10_000;
  private static final int MAX_STARTING = 1_000;
  private static final int MAX_STREAMS = 100_000;
  private static final Duration MIN_AUDIT = Duration.ofHours(1);
  private static final Duration MAX_AUDIT = Duration.ofDays(3_650);
  private static final int MAX_POOL = 64;
  private static final int MAX_DEATHS = 1_000_000;
  private static final Duration MIN_RETRY = Duration.ofMillis(100);
  private static final Duration MAX_RETRY = Duration.ofHours(1);
  private static final String URLS =
      "http://<host>:<port> or https://<host>:<port>, or several of one scheme separated by commas";

  private OrchestratorConfigValidator() {}

  /** Returns one line per invalid setting; empty when all are valid. */
  public static List<String> problems(OrchestratorConfig config) {
    List<String> problems = new ArrayList<>();
    Duration interval = config.heartbeat().interval();
    Duration timeout = config.heartbeat().timeout();
    if (interval.compareTo(HeartbeatSettings.MIN_INTERVAL) < 0) {
      problems.add(wrong("baton.heartbeat.interval", interval, "200ms or more"));
    }
    if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(interval.multipliedBy(3)) < 0) {
      problems.add(
          wrong("baton.heartbeat.timeout", timeout, "600ms or more, and three intervals or more"));
    }
    range(problems, "baton.failover.max-deaths", config.failover().maxDeaths(), 1, MAX_DEATHS);
    range(problems, "baton.runner.slots", config.runner().slots(), 1, MAX_SLOTS);
    durationOrOff(
        problems, "baton.runner.max-lifetime", config.runner().maxLifetime(), MIN_LIFETIME);
    durationOrOff(problems, "baton.park-after", config.parkAfter(), MIN_PARK_AFTER);
    config
        .launcher()
        .starting()
        .ifPresent(
            starting -> range(problems, "baton.launcher.starting", starting, 1, MAX_STARTING));
    range(problems, "baton.launcher.pool.size", config.launcher().pool().size(), 0, MAX_POOL);
    range(problems, "baton.launcher.warm.size", config.launcher().warm().size(), 0, MAX_POOL);
    LauncherConfigValidator.validate(problems, config);
    range(problems, "baton.streams.per-caller", config.streams().perCaller(), 1, MAX_STREAMS);
    if (config.audit().retention().compareTo(MIN_AUDIT) < 0
        || config.audit().retention().compareTo(MAX_AUDIT) > 0) {
      problems.add(wrong("baton.audit.retention", config.audit().retention(), "1h to 3650d"));
    }
    range(problems, "baton.streams.total", config.streams().total(), 1, MAX_STREAMS);
    range(problems, "baton.db.port", config.db().port(), 1, 65_535);
    DefaultCredentialChecker.problem(
            "baton.db.password",
            config.db().password(),
            OrchestratorConfig.KNOWN_PASSWORD,
            "baton.db.host",
            config.db().host())
        .ifPresent(problems::add);
    range(
        problems,
        "baton.topics.min-replicas",
        config.topics().minReplicas(),
        1,
        TopicRequirements.MAX_REPLICAS);
    if (config.launcher().timeout().compareTo(Duration.ofSeconds(1)) < 0) {
      problems.add(wrong("baton.launcher.timeout", config.launcher().timeout(), "1s or more"));
    }
    Duration requestTimeout = config.checkpoint().requestTimeout();
    if (requestTimeout.compareTo(Duration.ofSeconds(1)) < 0
        || requestTimeout.compareTo(Duration.ofMinutes(1)) > 0) {
      problems.add(wrong("baton.checkpoint.request-timeout", requestTimeout, "1s to 60s"));
    }
    notifications(problems, config.notifications());
    KubernetesConfigValidator.validate(problems, config.operator());
    for (String host : config.http().allowedHosts().orElse(List.of())) {
      try {
        new WebRequestPolicy(List.of(host));
      } catch (IllegalArgumentException e) {
        problems.add("baton.http.allowed-hosts is " + e.getMessage());
      }
    }
    urls(problems, "baton.store-url", config.storeUrl());
    urls(problems, "baton.orchestrator-url", config.orchestratorUrl());
    tls(problems, config);
    if (!config.instanceId().matches("[A-Za-z0-9._-]{1,100}")) {
      problems.add(
          wrong(
              "baton.instance-id", config.instanceId(), "1 to 100 letters, digits, '.', '_', '-'"));
    }
    return List.copyOf(problems);
  }

  private static void notifications(
      List<String> problems, OrchestratorConfig.Notifications notifications) {
    for (String event : notifications.events()) {
      if (!NotificationWriter.EVENTS.contains(event)) {
        problems.add(
            wrong(
                "baton.notifications.events",
                event,
                String.join(", ", new TreeSet<>(NotificationWriter.EVENTS))));
      }
    }
    OrchestratorConfig.Webhook webhook = notifications.webhook();
    webhook
        .url()
        .filter(url -> !isHttp(url))
        .ifPresent(
            url ->
                problems.add(
                    wrong("baton.notifications.webhook.url", url, "an http or https URL")));
    boolean signed =
        webhook.secret().flatMap(secret -> WebhookSecretParser.read(secret)).isPresent();
    if (!signed && (webhook.url().isPresent() || webhook.secret().isPresent())) {
      // The message must not contain the secret.
      problems.add(
          "baton.notifications.webhook.secret is "
              + (webhook.secret().isPresent() ? "not one" : "missing")
              + "; allowed: "
              + WebhookSecretParser.ALLOWED);
    }
    if (webhook.retry().compareTo(MIN_RETRY) < 0 || webhook.retry().compareTo(MAX_RETRY) > 0) {
      problems.add(wrong("baton.notifications.webhook.retry", webhook.retry(), "100ms to 1h"));
    }
  }

  private static void tls(List<String> problems, OrchestratorConfig config) {
    if (config.tls().certificate().isPresent()
        && config.orchestratorUrl().stream().anyMatch(url -> "http".equals(url.getScheme()))) {
      problems.add(
          wrong(
              "baton.orchestrator-url",
              config.orchestratorUrl().getFirst(),
              "https://<host>:<port>, since baton.tls.certificate is set"));
    }
    if (config.runner().tlsCertificate().isPresent() != config.runner().tlsKey().isPresent()) {
      problems.add(
          "baton.runner.tls-certificate and baton.runner.tls-key belong together: one of them is"
              + " missing");
    }
  }

  private static boolean isHttp(URI url) {
    return url.getHost() != null
        && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()));
  }

  static void range(List<String> problems, String key, int value, int min, int max) {
    if (value < min || value > max) {
      problems.add(wrong(key, value, min + " to " + max));
    }
  }

  private static void durationOrOff(
      List<String> problems, String key, String value, Duration least) {
    if (!value.equals("off")
        && DurationParser.parse(value).filter(time -> time.compareTo(least) >= 0).isEmpty()) {
      problems.add(
          wrong(
              key,
              value,
              "off, or a duration "
                  + DurationParser.ALLOWED
                  + " of "
                  + least.toMillis()
                  + "ms or more"));
    }
  }

  private static void urls(List<String> problems, String key, List<URI> values) {
    values.forEach(value -> url(problems, key, value));
    if (values.isEmpty()
        || values.stream().map(value -> String.valueOf(value.getScheme())).distinct().count() > 1) {
      problems.add(
          wrong(key, values.stream().map(URI::toString).collect(Collectors.joining(",")), URLS));
    }
  }

  private static void url(List<String> problems, String key, URI value) {
    if (!isHttp(value) || value.getPort() < 1) {
      problems.add(wrong(key, value, URLS));
    }
  }

  static String wrong(String key, Object value, String allowed) {
    return key + "=" + value + " is not allowed; allowed: " + allowed;
  }
}
