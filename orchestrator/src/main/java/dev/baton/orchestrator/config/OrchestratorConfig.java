/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Every {@code baton.*} key of the orchestrator. {@link OrchestratorConfigValidator} says what is
 * allowed.
 */
@ConfigMapping(prefix = "baton")
public interface OrchestratorConfig {
  /** The service's own folder: keys, runners' logs, workspaces of runners on this host. */
  Path data();

  /** Names this replica for good, over restarts too; by default kept in the data folder. */
  String instanceId();

  /**
   * Where the checkpoint-store answers, gRPC: its replicas, in the order in which they are tried.
   */
  List<URI> storeUrl();

  /** Where runners reach this service: this replica, then others that they may go to. */
  List<URI> orchestratorUrl();

  HeartbeatDefaults heartbeat();

  Failover failover();

  Lease lease();

  Launcher launcher();

  /**
   * How long a run may only wait before it is parked: it waits on without a runner; or {@code off}.
   */
  @WithDefault("10m")
  String parkAfter();

  Runner runner();

  Database db();

  Checkpoint checkpoint();

  Archive archive();

  Notifications notifications();

  Http http();

  /** The port that serves REST and gRPC. */
  interface Http {
    /**
     * Hosts under which this service is reached, without ports, besides those of loopback, its own
     * address and those of {@code baton.orchestrator-url}; {@code *} for any.
     */
    Optional<List<String>> allowedHosts();
  }

  /** What somebody outside is told of, besides everything that is on the trace. */
  interface Notifications {
    /** Any of run_lost, run_failed, run_cancelled, run_completed. */
    @WithDefault("run_lost")
    List<String> events();

    Webhook webhook();
  }

  /** Where notifications are posted, besides the Kafka topic. */
  interface Webhook {
    /** Absent: nowhere. */
    Optional<URI> url();

    /** {@code whsec_<base64>}; needed where there is an url. */
    Optional<String> secret();

    /** The pause after the first attempt that failed; it doubles, up to an hour. */
    @WithDefault("5s")
    Duration retry();
  }

  /** The checkpoint-store's git archive, as far as it matters here. */
  interface Archive {
    /**
     * Where there is one, the trace of a run carries its definition, so that the run can go on
     * elsewhere. Only the store opens it.
     */
    Optional<String> git();
  }

  /** Checkpoints that someone asks for. */
  interface Checkpoint {
    /** How long the answer may wait for the checkpoint; then it is under way. */
    @WithDefault("30s")
    Duration requestTimeout();
  }

  /** What a run's runner does where neither run nor workflow says otherwise. */
  interface HeartbeatDefaults {
    @WithDefault("10s")
    Duration interval();

    @WithDefault("30s")
    Duration timeout();
  }

  /** What happens to a run whose runners die. */
  interface Failover {
    /** How many may die one after the other in one step visit; then the run has failed. */
    @WithDefault("10")
    int maxDeaths();
  }

  /** The token that ties a runner to one run and one epoch. */
  interface Lease {
    /** Whether runs must be registered before a program may write their trace. */
    @WithDefault("false")
    boolean required();
  }

  /** How runners are started. */
  interface Launcher {
    Process process();

    /** Within this a started runner must have been heard, or it is killed and replaced. */
    @WithDefault("60s")
    Duration timeout();

    /**
     * How many started runners may not have attached yet; more wait for their turn. Absent: two for
     * each processor, at least four.
     */
    OptionalInt starting();

    Pool pool();

    Warm warm();
  }

  /** Runners as processes of this host. */
  interface Process {
    /** The command line, one argument a line. Absent: runners attach by themselves. */
    Optional<String> command();
  }

  /** Runners that carry many light runs. */
  interface Pool {
    /** How many processes; 0 where runners are attached from elsewhere. */
    @WithDefault("1")
    int size();
  }

  /** Idle runners for isolated runs: each serves one run and ends. */
  interface Warm {
    /** How many are kept idle; 0: each isolated run has its process started. */
    @WithDefault("0")
    int size();
  }

  /** Limits of one runner. */
  interface Runner {
    /** Runs at once on a pool runner. */
    @WithDefault("1000")
    int slots();

    /** How long a runner process may live before its runs are handed over; or {@code off}. */
    @WithDefault("24h")
    String maxLifetime();
  }

  /** Read by the datasource's settings; here so that a wrong name is noticed. */
  interface Database {
    @WithDefault("127.0.0.1")
    String host();

    @WithDefault("5432")
    int port();

    @WithName("name")
    @WithDefault("baton")
    String databaseName();

    @WithDefault("baton")
    String user();

    @WithDefault("baton")
    String password();
  }
}
