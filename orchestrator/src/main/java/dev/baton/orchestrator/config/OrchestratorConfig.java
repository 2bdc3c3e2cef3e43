/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.server.KafkaSecurityConfig;
import dev.baton.server.ListenerTlsConfig;
import dev.baton.server.oidc.OidcConfig;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Every {@code baton.*} key of the orchestrator. {@link OrchestratorConfigValidator} defines the
 * allowed values.
 */
@ConfigMapping(prefix = "baton")
public interface OrchestratorConfig {
  /** The default password, for a Postgres on loopback only. */
  String KNOWN_PASSWORD = "baton";

  /** Name of the launcher that needs no settings. */
  String DEFAULT_LAUNCHER = "process";

  /** The service's data folder: keys, runner logs, workspaces of runners on this host. */
  Path data();

  /** Identifies this replica, also after a restart; stored in the data folder by default. */
  String instanceId();

  /** gRPC addresses of the checkpoint-store's replicas, in the order in which they are tried. */
  List<URI> storeUrl();

  /** Addresses at which runners reach this service: this replica first, then other replicas. */
  List<URI> orchestratorUrl();

  HeartbeatDefaults heartbeat();

  Failover failover();

  Lease lease();

  Launcher launcher();

  /** Launchers by name. The launcher {@link #DEFAULT_LAUNCHER} exists also without settings. */
  Map<String, LauncherSettings> launchers();

  /**
   * How long a run may only wait before it is parked, that is, waits without a runner; or {@code
   * off}.
   */
  @WithDefault("10m")
  String parkAfter();

  Runner runner();

  Database db();

  Postgres postgres();

  Topics topics();

  Checkpoint checkpoint();

  Archive archive();

  Notifications notifications();

  Http http();

  Streams streams();

  KafkaSecurityConfig kafka();

  ListenerTlsConfig tls();

  Attach attach();

  Operator operator();

  Identity identity();

  Audit audit();

  Projects projects();

  /** Projects as resources. */
  interface Projects {
    /** Whether runs are created only in projects that exist. */
    @WithDefault("false")
    boolean required();
  }

  /** The log of calls that change data or were refused. */
  interface Audit {
    /** How long records can be read; those of the topic {@code baton.audit} have its retention. */
    @WithDefault("90d")
    Duration retention();
  }

  /** Which callers of REST and gRPC are accepted. */
  interface Identity {
    /** Whether callers need an API key. Without, every program that reaches the port may do all. */
    @WithDefault("true")
    boolean required();

    /**
     * A file with one API key per line, whose callers are admins; empty lines and those that begin
     * with # do not count. Read at the start.
     */
    Optional<Path> adminKeysFile();

    /** As {@link #adminKeysFile}, for callers that only read, such as monitoring. */
    Optional<Path> viewerKeysFile();

    /** Whose JSON Web Tokens are accepted in addition to API keys. */
    OidcConfig oidc();
  }

  /**
   * Which runners may attach. Without a token every program that reaches the port may, so it must
   * then be bound to loopback.
   */
  interface Attach {
    /** Tokens of runners that are started externally, in addition to those of the file. */
    Optional<List<String>> tokens();

    /** A file with one token per line; empty lines and those that begin with # do not count. */
    Optional<Path> tokensFile();
  }

  /** The operator of resources in a Kubernetes cluster. */
  interface Operator {
    @WithDefault("false")
    boolean enabled();

    /** Whose resources it reconciles. Absent: its own, or that of the kubeconfig. */
    Optional<List<String>> namespaces();

    /** Absent: the service account of this pod, else {@code KUBECONFIG}, {@code ~/.kube/config}. */
    Optional<Path> kubeconfig();
  }

  /** The port that serves REST and gRPC. */
  interface Http {
    /**
     * Additional hosts under which this service is reached, without ports; {@code *} allows any.
     * Loopback, its own address and the hosts of {@code baton.orchestrator-url} are always allowed.
     */
    Optional<List<String>> allowedHosts();
  }

  /** Streams and pages of events that are read at the same time. */
  interface Streams {
    /** Limit for each caller. */
    @WithDefault("200")
    int perCaller();

    /** Limit for all callers of this replica. */
    @WithDefault("400")
    int total();
  }

  /** Notifications about runs, sent in addition to the trace. */
  interface Notifications {
    /**
     * Any of run_lost, run_failed, run_cancelled, run_completed, run_degraded and
     * agent_session_created.
     */
    @WithDefault("run_lost")
    List<String> events();

    Webhook webhook();
  }

  /** An HTTP endpoint that receives notifications in addition to the Kafka topic. */
  interface Webhook {
    /** Absent: no webhook. */
    Optional<URI> url();

    /** {@code whsec_<base64>}; required with a url. */
    Optional<String> secret();

    /** Pause after the first failed attempt; doubles after each failure, up to 1 h. */
    @WithDefault("5s")
    Duration retry();
  }

  /** The settings of the checkpoint-store's git archive that the orchestrator needs. */
  interface Archive {
    /**
     * When set, the trace of a run contains its definition, so that the run can be resumed
     * elsewhere. Only the checkpoint-store opens the repository.
     */
    Optional<String> git();
  }

  /** Checkpoints on demand. */
  interface Checkpoint {
    /** How long a request waits for its checkpoint; after that it is answered as pending. */
    @WithDefault("30s")
    Duration requestTimeout();
  }

  /** Heartbeat settings of a run's runner when neither the run nor the workflow sets them. */
  interface HeartbeatDefaults {
    @WithDefault("10s")
    Duration interval();

    @WithDefault("30s")
    Duration timeout();
  }

  /** Failover of runs whose runners die. */
  interface Failover {
    /** Consecutive runner deaths allowed in one step visit; then the run fails. */
    @WithDefault("10")
    int maxDeaths();
  }

  /** The lease token that binds a runner to one run and one epoch. */
  interface Lease {
    /** Whether a run must be registered before a program may write its trace. */
    @WithDefault("false")
    boolean required();
  }

  /** How runner processes are started. */
  interface Launcher {
    Process process();

    /** Time in which a started runner must attach; otherwise it is killed and replaced. */
    @WithDefault("60s")
    Duration timeout();

    /**
     * Maximum number of started runners that have not attached yet; further starts wait. Absent:
     * two per processor, at least four.
     */
    OptionalInt starting();

    Pool pool();

    Warm warm();
  }

  /** One launcher. */
  interface LauncherSettings {
    /** process, docker, kubernetes, or attached: its runners are started externally. */
    @WithDefault("process")
    String type();

    /** Overrides {@code baton.launcher.process.command}. */
    Optional<String> command();

    /** Maximum number of its live runners on each replica, idle ones included. Absent: no limit. */
    OptionalInt maxRunners();

    /** Runs are placed on the launcher with the lowest order that they select. */
    @WithDefault("100")
    int order();

    /** Of all its pools. */
    Map<String, String> labels();

    /** Further pools; the pool {@code default} exists also without settings. */
    Map<String, PoolSettings> pools();

    LaunchTimeoutSettings timeout();

    /** Of a launcher of containers on a Docker host. */
    DockerSettings docker();

    /** Of a launcher of pods in a Kubernetes cluster. */
    KubernetesSettings kubernetes();

    /** The containers of all its pools. */
    ContainerSettings container();

    /** The pods of all its pools. */
    PodSettings pod();
  }

  /** A Docker host. */
  interface DockerSettings {
    /** {@code unix:///path} or {@code tcp://host:port}. Absent: the local Docker. */
    Optional<URI> host();

    /**
     * Distinguishes installations that use the same Docker host; equal on all replicas. Absent:
     * {@code baton}.
     */
    Optional<String> installation();

    /** Limit of one request to Docker. Absent: 30s. */
    Optional<Duration> timeout();
  }

  /** A Kubernetes cluster. */
  interface KubernetesSettings {
    /** Absent: the service account of this pod, else {@code KUBECONFIG}, {@code ~/.kube/config}. */
    Optional<Path> kubeconfig();

    /** Of the kubeconfig. Absent: its current one. */
    Optional<String> context();

    /** Of the runners' pods. Absent: that of the context, or of this pod. */
    Optional<String> namespace();

    /**
     * Distinguishes installations that use the same namespace; equal on all replicas. Absent:
     * {@code baton}.
     */
    Optional<String> installation();

    /** Limit of one request to the API server. Absent: 30s. */
    Optional<Duration> timeout();
  }

  /** What only pods have; a pool's settings replace those of its launcher. */
  interface PodSettings {
    /** Between SIGTERM and SIGKILL. Absent: 30s. */
    Optional<Duration> grace();

    /** Memory that the scheduler reserves, such as 1g. Absent: the limit. */
    Optional<String> requestedMemory();

    /** Processors that the scheduler reserves, such as 0.5. Absent: 0.25. */
    OptionalDouble requestedCpus();

    /** Absent: that of the namespace. */
    Optional<String> serviceAccount();

    /** For which a token of the service account is mounted. Absent: no token. */
    Optional<String> tokenAudience();

    /** Names of secrets for the registry, one per line. */
    Optional<String> pullSecrets();

    /** Read-only files, one {@code secret:NAME:/path} or {@code config-map:NAME:/path} per line. */
    Optional<String> volumes();

    /** Labels that the node must have, one {@code KEY=VALUE} per line. */
    Optional<String> nodeSelector();

    /** Taints of nodes that are tolerated, one {@code KEY[=VALUE][:EFFECT]} per line. */
    Optional<String> tolerations();

    /** Absent: that of the cluster. */
    Optional<String> priorityClass();
  }

  /** How containers are created; a pool's settings replace those of its launcher. */
  interface ContainerSettings {
    /** Name with tag or digest. Required for the launcher. */
    Optional<String> image();

    /** Name of the Docker network. Absent: the default network of the Docker host. */
    Optional<String> network();

    /** Limit, such as 4g, files in memory included. Absent: 4g. */
    Optional<String> memory();

    /** Limit in processors, such as 1.5. Absent: no limit. */
    OptionalDouble cpus();

    /** Limit of processes and threads. Absent: 4096. */
    OptionalInt pids();

    /** Size of {@code /work}, in memory. Absent: 2g. */
    Optional<String> workSize();

    /** Sizes of {@code /tmp} and of the home folder, in memory. Absent: 512m. */
    Optional<String> tmpSize();

    /** Whether the root file system can not be written. Absent: true. */
    Optional<Boolean> readOnly();

    /** Whether Docker adds its init program; Baton's images contain one. Absent: false. */
    Optional<Boolean> init();

    /** Whether a missing image is pulled. Absent: true. */
    Optional<Boolean> pull();

    /** Further variables, one {@code NAME=value} per line. */
    Optional<String> environment();

    /** One {@code <volume or path>:<path>[:ro]} per line. */
    Optional<String> volumes();
  }

  /** One pool of a launcher. */
  interface PoolSettings {
    /** Maximum number of its live runners on each replica, idle ones included. Absent: no limit. */
    OptionalInt maxRunners();

    /** Runs are placed on the pool with the lowest order that they select. */
    @WithDefault("100")
    int order();

    Map<String, String> labels();

    /** Number of idle runners for isolated runs; {@code baton.launcher.warm.size} by default. */
    OptionalInt warm();

    /** Number of shared runners; {@code baton.launcher.pool.size} by default. */
    OptionalInt shared();

    /** Replaces settings of the launcher's containers. */
    ContainerSettings container();

    /** Replaces settings of the launcher's pods. */
    PodSettings pod();
  }

  /** How long a runner may stay in a phase before it has attached. */
  interface LaunchTimeoutSettings {
    /** Absent: any time. */
    Optional<Duration> queued();

    /** Absent: any time. */
    Optional<Duration> pulling();

    /** {@code baton.launcher.timeout} by default. */
    Optional<Duration> attach();
  }

  /** Runners as processes of this host. */
  interface Process {
    /**
     * The command line, one argument per line. Absent: runners are started externally and attach.
     */
    Optional<String> command();
  }

  /** Shared runners, each carrying many light runs. */
  interface Pool {
    /** Number of processes; 0 when all runners are started externally. */
    @WithDefault("1")
    int size();
  }

  /** Idle runners for isolated runs; each serves one run and exits. */
  interface Warm {
    /** Number of idle runners; 0: a process is started for each isolated run. */
    @WithDefault("0")
    int size();
  }

  /** Limits of one runner. */
  interface Runner {
    /** Maximum concurrent runs on a pool runner. */
    @WithDefault("1000")
    int slots();

    /** Maximum lifetime of a runner process before its runs are handed over; or {@code off}. */
    @WithDefault("24h")
    String maxLifetime();

    /**
     * The client file with which runners connect to Kafka, for a user of their own. Absent: the
     * settings of the orchestrator.
     */
    Optional<Path> kafkaClientFile();

    /** The certificate that runners present, under the path that they see, in PEM. */
    Optional<Path> tlsCertificate();

    /** Its key. */
    Optional<Path> tlsKey();
  }

  /** What is required of Postgres. */
  interface Postgres {
    /**
     * Whether to start although Postgres may lose what it has acknowledged: {@code fsync}, {@code
     * synchronous_commit} or {@code full_page_writes} is off.
     */
    @WithDefault("false")
    boolean allowUnsafe();
  }

  /** What the Kafka topics must have at the start. */
  interface Topics {
    /** Copies of each partition that every topic must have. */
    @WithDefault("1")
    int minReplicas();

    /** Whether to start although a topic's settings may lose records. */
    @WithDefault("false")
    boolean allowUnsafe();
  }

  /** Used by the datasource settings; declared here so that a misspelled key is reported. */
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

    @WithDefault(KNOWN_PASSWORD)
    String password();

    /**
     * disable, require, verify-ca or verify-full, as libpq has them. Absent: without TLS. Read by
     * {@link dev.baton.server.DatabaseTlsSource}.
     */
    Optional<String> sslMode();

    /**
     * A PEM file with the certificates of the server's authority, for verify-ca and verify-full.
     */
    Optional<String> sslRootCertificate();

    /** A PEM file with the certificate that is presented to Postgres. */
    Optional<String> sslCertificate();

    /** A PEM file with its private key. */
    Optional<String> sslKey();
  }
}
