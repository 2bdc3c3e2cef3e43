/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import dev.baton.server.KafkaSecurityConfig;
import dev.baton.server.ListenerTlsConfig;
import dev.baton.server.oidc.OidcConfig;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All configuration keys of the checkpoint-store. An invalid value stops the start with a message
 * that names the key, the value and what is allowed.
 */
@ConfigMapping(prefix = "baton")
public interface StoreConfig {
  /** The default password, for a Postgres on loopback only. */
  String KNOWN_PASSWORD = "baton";

  /** The default secret key, for an object store on loopback only. */
  String KNOWN_SECRET_KEY = "baton-secret";

  Db db();

  Postgres postgres();

  Topics topics();

  ObjectStore objectStore();

  /**
   * The static member id of this replica in the consumer group: after a restart it gets its
   * partitions again at once, not after the session timeout. Must be unique per replica and stay
   * the same across restarts.
   */
  @WithDefault("${hostname:localhost}-${quarkus.http.port}")
  String storeInstance();

  /** The orchestrator, which publishes the public keys of leases. */
  @WithDefault("http://127.0.0.1:7070")
  @WithConverter(StoreConfigConverter.HttpUrl.class)
  URI orchestratorUrl();

  Lease lease();

  Snapshot snapshot();

  Verify verify();

  Scrub scrub();

  Gc gc();

  Retention retention();

  Archive archive();

  Http http();

  KafkaSecurityConfig kafka();

  ListenerTlsConfig tls();

  Identity identity();

  /** Which callers of REST and gRPC are accepted. */
  interface Identity {
    /**
     * Whether callers need an identity: orchestrators a token that they sign, runners a lease,
     * other programs an API key of a file. Without, every program that reaches the port may do all.
     */
    @WithDefault("true")
    boolean required();

    /**
     * A file with one API key per line, whose callers may do all; empty lines and those that begin
     * with # do not count. Read at the start.
     */
    Optional<Path> adminKeysFile();

    /** As {@link #adminKeysFile}, for callers that only read over HTTP, such as monitoring. */
    Optional<Path> viewerKeysFile();

    /** Whose JSON Web Tokens are accepted in addition to API keys. */
    OidcConfig oidc();
  }

  /** What the Kafka topics must have at the start. */
  interface Topics {
    /** Copies of each partition that every topic must have, 1 to 3. */
    @WithDefault("1")
    int minReplicas();

    /** Whether to start although a topic's settings may lose records. */
    @WithDefault("false")
    boolean allowUnsafe();
  }

  /** The port that serves REST and gRPC. */
  interface Http {
    /**
     * Host names under which clients reach this service, without ports, in addition to loopback and
     * its own address; {@code *} for any.
     */
    Optional<List<String>> allowedHosts();
  }

  /** The lease: a token that binds a runner to one run and one epoch. */
  interface Lease {
    /**
     * Whether requests of runners without a lease are refused; an invalid lease is always refused.
     * Must have the same value as in the orchestrator.
     */
    @WithDefault("false")
    boolean required();
  }

  /** Postgres. */
  interface Db {
    @WithDefault("127.0.0.1")
    @WithConverter(StoreConfigConverter.Name.class)
    String host();

    @WithDefault("5432")
    @WithConverter(StoreConfigConverter.Port.class)
    int port();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Name.class)
    String name();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Name.class)
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

  /** What is required of Postgres. */
  interface Postgres {
    /**
     * Whether to start although Postgres may lose what it has acknowledged: {@code fsync}, {@code
     * synchronous_commit} or {@code full_page_writes} is off.
     */
    @WithDefault("false")
    boolean allowUnsafe();
  }

  /** S3. */
  interface ObjectStore {
    /** Must be reachable by runners too: presigned URLs start with it. */
    @WithDefault("http://127.0.0.1:9000")
    @WithConverter(StoreConfigConverter.HttpUrl.class)
    URI endpoint();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Bucket.class)
    String bucket();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Name.class)
    String accessKey();

    @WithDefault(KNOWN_SECRET_KEY)
    @WithConverter(StoreConfigConverter.Name.class)
    String secretKey();

    /** Configured explicitly, so that signing a URL needs no request to the server. */
    @WithDefault("us-east-1")
    @WithConverter(StoreConfigConverter.Name.class)
    String region();

    /** How long a presigned URL is valid: 1 minute to 7 days. */
    @WithDefault("PT1H")
    @WithConverter(StoreConfigConverter.UrlLife.class)
    Duration urlLife();
  }

  /** Snapshots. */
  interface Snapshot {
    /** How long a query for an epoch waits if the request has no wait time: 100 ms to 60 s. */
    @WithDefault("PT10S")
    @WithConverter(StoreConfigConverter.Wait.class)
    Duration defaultWait();

    /**
     * Total JSON bytes of the states that are folded at the same time, 1 MiB to 1 GiB. A larger
     * state is refused, and a step fails if it would let a run's state grow beyond seven eighths of
     * this value. In memory a state needs up to twice as much.
     */
    @WithDefault("134217728")
    @WithConverter(StoreConfigConverter.SnapshotBytes.class)
    long maxBytes();
  }

  /** Verification of uploaded packs and checkpoints. */
  interface Verify {
    /** Delay between the last commit and the start of verification: 0 to 1 hour. */
    @WithDefault("PT2S")
    @WithConverter(StoreConfigConverter.Delay.class)
    Duration delay();
  }

  /** Repeated verification of packs that were verified before. */
  interface Scrub {
    /** Maximum bytes per second, 0 to 1 GiB; 0 disables scrubbing. */
    @WithDefault("4194304")
    @WithConverter(StoreConfigConverter.Rate.class)
    long bytesPerSecond();

    /** Maximum age of a pack's last verification: 1 second to 10 years. */
    @WithDefault("PT720H")
    @WithConverter(StoreConfigConverter.Age.class)
    Duration after();
  }

  /** Garbage collection of packs. */
  interface Gc {
    @WithDefault("true")
    boolean enabled();

    /** Time between two passes: 1 second to 7 days. */
    @WithDefault("PT1H")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();

    /**
     * How long an unreferenced pack is kept after the store last promised it to a runner: 2 minutes
     * to 10 years, and at least twice {@code baton.object-store.url-life}.
     */
    @WithDefault("PT24H")
    @WithConverter(StoreConfigConverter.Grace.class)
    Duration grace();
  }

  /** The rules by which checkpoints are deleted. */
  interface Retention {
    @WithDefault("true")
    boolean enabled();

    /** Time between two passes: 1 second to 7 days. */
    @WithDefault("PT5M")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();

    /**
     * Maximum number of checkpoints per run, not counting those that {@code keep-complete} and
     * {@code keep-error} keep: 1 to 1,000,000.
     */
    @WithDefault("10")
    @WithConverter(StoreConfigConverter.Count.class)
    int maxCheckpoints();

    /** Maximum age of a checkpoint: 1 second to 10 years. */
    @WithDefault("PT168H")
    @WithConverter(StoreConfigConverter.Age.class)
    Duration maxAge();

    /** Whether checkpoints created when a run completed are always kept. */
    @WithDefault("true")
    boolean keepComplete();

    /** Whether checkpoints created at an error are always kept. */
    @WithDefault("true")
    boolean keepError();

    /** Overrides per project. */
    Map<String, Special> projects();

    /** Overrides per workflow name; they take precedence over those of the project. */
    Map<String, Special> workflows();

    /** The overridden values; an absent one falls back to the general value. */
    interface Special {
      @WithConverter(StoreConfigConverter.Count.class)
      Optional<Integer> maxCheckpoints();

      @WithConverter(StoreConfigConverter.Age.class)
      Optional<Duration> maxAge();

      Optional<Boolean> keepComplete();

      Optional<Boolean> keepError();
    }
  }

  /** The archive of runs in a git repository. */
  interface Archive {
    /**
     * The repository's folder, bare or not; if the folder is absent or empty, a bare repository is
     * created. Absent: the archive is disabled.
     */
    @WithConverter(StoreConfigConverter.Folder.class)
    Optional<Path> git();

    /**
     * Maximum bytes of outputs and packs in a run's commit, 0 to 8 GiB. Objects beyond it are left
     * out and listed in the manifest.
     */
    @WithDefault("67108864")
    @WithConverter(StoreConfigConverter.ArchiveBytes.class)
    long maxWorkspace();

    /**
     * How often the store searches for runs that are not archived, and for archived runs that are
     * not in Postgres: 1 second to 7 days.
     */
    @WithDefault("PT5M")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();
  }
}
