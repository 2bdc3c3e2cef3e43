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
import java.util.Optional;

/** Every {@code baton.*} key of the orchestrator. {@link ConfigCheck} says what is allowed. */
@ConfigMapping(prefix = "baton")
public interface OrchestratorConfig {
  /** The service's own folder: keys, runners' logs, workspaces of runners on this host. */
  Path data();

  /** Names this replica for good, over restarts too; by default kept in the data folder. */
  String instanceId();

  /** Where the checkpoint-store answers, REST and gRPC. */
  URI storeUrl();

  /** Where runners reach this service. */
  URI orchestratorUrl();

  HeartbeatDefaults heartbeat();

  Lease lease();

  Launcher launcher();

  Runner runner();

  Database db();

  Checkpoint checkpoint();

  Archive archive();

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
    Duration patience();
  }

  /** What a run's runner does where neither run nor workflow says otherwise. */
  interface HeartbeatDefaults {
    @WithDefault("10s")
    Duration interval();

    @WithDefault("30s")
    Duration timeout();
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

    Pool pool();
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

  /** Limits of one runner. */
  interface Runner {
    /** Runs at once on a pool runner. */
    @WithDefault("1000")
    int slots();
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
