/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.workflow.DurationParser;
import dev.baton.runner.agents.AgentSettings;
import dev.baton.runner.agents.ReferencedKeyResolver;
import dev.baton.runner.engine.HostNameReader;
import dev.baton.runner.logs.LogSettings;
import dev.baton.runner.sandbox.SandboxSettings;
import dev.baton.runner.secrets.SecretCheckpointPolicy;
import dev.baton.runner.secrets.SecretSourcePolicy;
import dev.baton.runner.secrets.VaultSettings;
import dev.baton.runner.steps.HttpAddressPolicy;
import dev.baton.runner.steps.SharedProgramLimiter;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of the runner. Every key is also an environment variable: {@code baton.runner.id} is
 * {@code BATON_RUNNER_ID}.
 *
 * @param mode which runs the runner accepts
 * @param slots limit of concurrent runs; 1 except for a shared runner
 * @param programs limit of concurrent programs of runs whose workflow demands a shared runner
 * @param carries the run assigned to an isolated runner; empty in other modes
 * @param attachToken proves to the orchestrator that the runner may attach; empty: attaches without
 * @param orchestrator its replicas, in the order in which they are tried; one or more
 * @param placement properties by which workflows select this runner
 * @param store replicas of the checkpoint-store, likewise
 * @param kafkaSecurity how producers authenticate and encrypt
 * @param data folder of the workspaces: {@code runs/<run>/workspace}
 * @param checkpointPatience how long the end of a step waits for the object store before the run
 *     continues without a cut
 * @param workspacePath path at which the processes of steps see their workspace, the same for every
 *     run; empty: each at its own path
 * @param spoolMax limit in bytes of one run's events that are spooled to a file while the brokers
 *     are unavailable
 * @param stepEnvironment names of the runner's variables that steps inherit in addition to the
 *     usual ones; {@code *} matches any characters
 * @param httpMaxResponse limit in bytes of the body of an http step's response
 * @param httpAddresses to which http steps may connect
 * @param vault of which workflows may use secrets
 * @param sandboxes which of them it demands and permits
 * @param logSpoolMax limit in bytes of a run's log that waits on the disk for upload
 * @param logMax limit in bytes of an attempt's log
 * @param agents endpoints of models, and what else agent steps need
 * @param maxLifetime lifetime after which the process ends, having handed over its runs; empty:
 *     unlimited
 * @param grace between SIGTERM and SIGKILL
 * @param assignPatience how long an isolated runner waits for its assignment before it exits
 */
public record RunnerConfig(
    String runnerId,
    Mode mode,
    int slots,
    int programs,
    RunnerPlacement placement,
    Optional<Carried> carries,
    Optional<AttachToken> attachToken,
    List<GrpcAddress> orchestrator,
    List<GrpcAddress> store,
    String kafkaBootstrapServers,
    KafkaSecuritySettings kafkaSecurity,
    TlsSettings tls,
    Path data,
    Duration checkpointPatience,
    Optional<Duration> checkpointInterval,
    List<String> checkpointEnvironment,
    Duration assignPatience,
    Optional<Duration> maxLifetime,
    Duration grace,
    Optional<Path> workspacePath,
    int spoolMax,
    List<String> stepEnvironment,
    int httpMaxResponse,
    HttpAddressPolicy httpAddresses,
    SecretSourcePolicy secretSources,
    Optional<VaultSettings> vault,
    SecretCheckpointPolicy secretCheckpoints,
    SandboxSettings sandboxes,
    long logSpoolMax,
    long logMax,
    AgentSettings agents) {
  /** Which runs a runner accepts. */
  public enum Mode {
    /** One run, set at its start. */
    ISOLATED,
    /** Any single run; the runner waits for the assignment. */
    WARM,
    /** Many lightweight runs, for the lifetime of the process. */
    SHARED;

    /** Returns the mode as the gateway's messages spell it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Enough time to attach, to work and to hand over. */
  public static final Duration MIN_LIFETIME = Duration.ofMinutes(1);

  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration MIN_GRACE = Duration.ofSeconds(1);
  private static final Duration MAX_GRACE = Duration.ofHours(1);

  public static final int MAX_SLOTS = 10_000;

  private static final int MAX_PROGRAMS = 1_000;

  /** The limit of an output is 64 MiB. */
  private static final int MAX_RESPONSE = 64 << 20;

  private static final long LEAST_BYTES = 1L << 20;
  private static final long MOST_BYTES = 1L << 50;

  /** Characters of the host's name in that of a runner, which has at most 63. */
  private static final int MAX_HOST = 40;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_*]+");

  private static final String ENVIRONMENT =
      "PATH,HOME,USER,LOGNAME,SHELL,TERM,LANG,LANGUAGE,LC_*,TZ,EDITOR,PAGER,JAVA_HOME,GOPATH,GOROOT,NODE_ENV,PYTHONPATH,VIRTUAL_ENV,CI";

  /**
   * A run, the epoch in which this process holds it, and the lease token that proves it (may be
   * empty).
   */
  public record Carried(String run, int epoch, String lease) {}

  /**
   * Reads and validates all settings.
   *
   * @param values returns the value of a key, if it is set
   * @throws ConfigException that names the key, its value and what is allowed
   */
  public static RunnerConfig read(Function<String, Optional<String>> values) {
    Keys keys = new Keys(values);
    Mode mode = keys.mode("baton.runner.mode");
    TlsSettings tls = keys.checked(TlsSettings::read);
    return new RunnerConfig(
        mode == Mode.ISOLATED
            ? keys.required("baton.runner.id")
            : keys.optional("baton.runner.id").orElseGet(RunnerConfig::newId),
        mode,
        mode == Mode.SHARED ? keys.number("baton.runner.slots", 1_000, 1, MAX_SLOTS) : 1,
        keys.number("baton.runner.programs", SharedProgramLimiter.defaultMax(), 1, MAX_PROGRAMS),
        RunnerPlacement.read(values),
        mode == Mode.ISOLATED ? Optional.of(carried(keys)) : Optional.empty(),
        AttachToken.read("baton.attach.token", "baton.attach.token-file", values),
        GrpcAddress.parseAll("baton.orchestrator.url", keys.required("baton.orchestrator.url")),
        GrpcAddress.parseAll("baton.store.url", keys.required("baton.store.url")),
        keys.required("kafka.bootstrap.servers"),
        keys.checked(KafkaSecuritySettings::read),
        tls,
        Path.of(keys.required("baton.data")).toAbsolutePath(),
        keys.duration("baton.checkpoint.patience", Duration.ofSeconds(30)),
        keys.durationOrOff(
            "baton.checkpoint.interval", Duration.ofMinutes(5), Duration.ofSeconds(1)),
        keys.names("baton.checkpoint.environment", ENVIRONMENT),
        keys.duration("baton.assign.patience", Duration.ofSeconds(60)),
        keys.durationOrOff("baton.runner.max-lifetime", Duration.ofHours(24), MIN_LIFETIME),
        keys.duration("baton.runner.grace", GRACE, MIN_GRACE, MAX_GRACE),
        keys.pathOrOff("baton.workspace.path", "/run/baton/workspace"),
        keys.number("baton.spool.max", 64 << 20, 64 << 10, Integer.MAX_VALUE),
        keys.names("baton.step.environment", ""),
        keys.number(
            "baton.http.max-response",
            StepExecutorRegistry.DEFAULT_MAX_RESPONSE,
            1_024,
            MAX_RESPONSE),
        keys.addresses("baton.http-step.deny", "baton.http-step.allow"),
        keys.secretSources("baton.secrets.sources"),
        keys.checked(VaultSettings::read),
        keys.secretCheckpoints("baton.secrets.checkpoint"),
        keys.checked(SandboxSettings::read),
        keys.bytes("baton.logs.spool.max", LogSettings.DEFAULT_SPOOL_BYTES),
        keys.bytes("baton.logs.max", LogSettings.DEFAULT_ATTEMPT_BYTES),
        agents(keys, tls));
  }

  /** Returns a name for this process: that of the host, and 48 random bits. */
  private static String newId() {
    String host = HostNameReader.get().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String name = host.length() > MAX_HOST ? host.substring(0, MAX_HOST) : host;
    return "ext-%s-%012x".formatted(name, new SecureRandom().nextLong() >>> 16);
  }

  private static AgentSettings agents(Keys keys, TlsSettings tls) {
    Map<String, ModelUpstream> endpoints = new HashMap<>();
    endpoints.put(
        "anthropic-messages",
        keys.endpoint("anthropic-messages", "https://api.anthropic.com", "ANTHROPIC_API_KEY"));
    for (String form : List.of("openai-responses", "openai-chat")) {
      endpoints.put(form, keys.endpoint(form, "https://api.openai.com", "OPENAI_API_KEY"));
    }
    return new AgentSettings(
        endpoints,
        keys.optional("baton.agent.model"),
        keys.optional("baton.agent.prices").map(Path::of),
        keys.optional("baton.agent.login").stream()
            .flatMap(names -> Stream.of(names.split(",")))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet()),
        tls);
  }

  private static Carried carried(Keys keys) {
    String run = keys.required("baton.run.id");
    if (!RunId.isValid(run)) {
      throw new ConfigException("baton.run.id", run, "a ULID in lower case (26 characters)");
    }
    return new Carried(
        run,
        keys.number("baton.epoch", null, 1, 999_999_999),
        keys.optional("baton.lease").orElse(""));
  }

  /** Typed access; errors name the key. */
  private record Keys(Function<String, Optional<String>> values) {
    Optional<String> optional(String key) {
      return values.apply(key).filter(text -> !text.isBlank()).map(String::strip);
    }

    String required(String key) {
      return optional(key)
          .orElseThrow(() -> new ConfigException(key, "", "a value: it is required"));
    }

    /** Reads the endpoint of a form; its key is a reference, or {@code none}. */
    ModelUpstream endpoint(String form, String url, String variable) {
      String urlKey = "baton.models." + form + ".url";
      String keyKey = "baton.models." + form + ".key";
      String key = optional(keyKey).orElse("env:" + variable);
      if (!key.equals("none") && !ReferencedKeyResolver.isReference(key)) {
        // The value may be the key itself, so it is not shown.
        throw new ConfigException(
            keyKey, "(hidden)", "env:NAME, file:/path, or none: a reference, never the key itself");
      }
      String text = optional(urlKey).orElse(url);
      try {
        return new ModelUpstream(URI.create(text), key.equals("none") ? null : key, Map.of());
      } catch (IllegalArgumentException e) {
        throw new ConfigException(urlKey, text, "an http or https URL");
      }
    }

    /** Reads settings whose errors name their keys. */
    <T> T checked(Function<Function<String, Optional<String>>, T> reader) {
      try {
        return reader.apply(values);
      } catch (IllegalArgumentException e) {
        throw new ConfigException(String.valueOf(e.getMessage()));
      }
    }

    Mode mode(String key) {
      String text = optional(key).orElse(Mode.ISOLATED.word());
      return Arrays.stream(Mode.values())
          .filter(mode -> mode.word().equals(text))
          .findFirst()
          .orElseThrow(() -> new ConfigException(key, text, "isolated, warm or shared"));
    }

    Optional<Path> pathOrOff(String key, String fallback) {
      String text = optional(key).orElse(fallback);
      if (text.equals("off")) {
        return Optional.empty();
      }
      if (!text.startsWith("/") || Path.of(text).normalize().getNameCount() < 3) {
        throw new ConfigException(
            key, text, "off, or an absolute path at least three levels deep, such as " + fallback);
      }
      return Optional.of(Path.of(text).normalize());
    }

    int number(
        String key, @org.jspecify.annotations.Nullable Integer fallback, int least, int most) {
      String text = fallback == null ? required(key) : optional(key).orElse(fallback.toString());
      try {
        int value = Integer.parseInt(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Reported below, as for a number out of range.
      }
      throw new ConfigException(key, text, "a whole number from " + least + " to " + most);
    }

    /** Parses a number of bytes from 1 MiB to 1 PiB. */
    long bytes(String key, long fallback) {
      String text = optional(key).orElse(Long.toString(fallback));
      try {
        long value = Long.parseLong(text);
        if (value >= LEAST_BYTES && value <= MOST_BYTES) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Reported below, as for a number out of range.
      }
      throw new ConfigException(
          key, text, "a whole number of bytes from " + LEAST_BYTES + " to " + MOST_BYTES);
    }

    /** Parses names in which {@code *} matches any characters. */
    List<String> names(String key, String fallback) {
      List<String> names =
          Arrays.stream(optional(key).orElse(fallback).split(","))
              .map(String::strip)
              .filter(name -> !name.isEmpty())
              .toList();
      for (String name : names) {
        if (!NAME.matcher(name).matches()) {
          throw new ConfigException(
              key, name, "names of environment variables, separated by commas; '*' for any part");
        }
      }
      return names;
    }

    HttpAddressPolicy addresses(String denyKey, String allowKey) {
      String deny = addresses(denyKey);
      return HttpAddressPolicy.of(deny, addresses(allowKey));
    }

    SecretSourcePolicy secretSources(String key) {
      String text = optional(key).orElse(SecretSourcePolicy.DEFAULT);
      try {
        return SecretSourcePolicy.parse(text);
      } catch (IllegalArgumentException e) {
        throw new ConfigException(key, String.valueOf(e.getMessage()), SecretSourcePolicy.ALLOWED);
      }
    }

    SecretCheckpointPolicy secretCheckpoints(String key) {
      String text = optional(key).orElse(SecretCheckpointPolicy.STRIP.word());
      return Arrays.stream(SecretCheckpointPolicy.values())
          .filter(policy -> policy.word().equals(text))
          .findFirst()
          .orElseThrow(() -> new ConfigException(key, text, "strip, refuse or allow"));
    }

    private String addresses(String key) {
      String text = optional(key).orElse("");
      try {
        HttpAddressPolicy.of(text, "");
        return text;
      } catch (IllegalArgumentException e) {
        throw new ConfigException(
            key,
            text,
            "addresses, ranges such as 10.0.0.0/8, loopback, private, link-local, metadata; separated by commas");
      }
    }

    Duration duration(String key, Duration fallback, Duration least, Duration most) {
      Duration value = duration(key, fallback);
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new ConfigException(
            key,
            optional(key).orElse(""),
            "a duration from " + least.toSeconds() + "s to " + most.toHours() + "h");
      }
      return value;
    }

    Optional<Duration> durationOrOff(String key, Duration fallback, Duration least) {
      if (optional(key).filter("off"::equals).isPresent()) {
        return Optional.empty();
      }
      Duration value = duration(key, fallback);
      if (value.compareTo(least) < 0) {
        throw new ConfigException(
            key, optional(key).orElse(""), "off, or " + least.toSeconds() + "s or more");
      }
      return Optional.of(value);
    }

    Duration duration(String key, Duration fallback) {
      Optional<String> text = optional(key);
      if (text.isEmpty()) {
        return fallback;
      }
      return DurationParser.parse(text.get())
          .orElseThrow(
              () -> new ConfigException(key, text.get(), "a duration " + DurationParser.ALLOWED));
    }
  }
}
