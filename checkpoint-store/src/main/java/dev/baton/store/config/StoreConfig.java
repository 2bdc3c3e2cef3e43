/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

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
 * All keys of the checkpoint-store. A wrong value stops the start with a message that names the
 * key, the value and what is allowed.
 */
@ConfigMapping(prefix = "baton")
public interface StoreConfig {

  Db db();

  ObjectStore objectStore();

  /**
   * Names this replica in the consumer group, so that a restart takes its partitions back at once
   * instead of after the session timeout. Must differ between replicas and outlast a restart.
   */
  @WithDefault("${hostname:localhost}-${quarkus.http.port}")
  String storeInstance();

  /** Where the public keys of leases are. */
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

  /** The port that serves REST and gRPC. */
  interface Http {
    /**
     * Hosts under which this service is reached, without ports, besides those of loopback and its
     * own address; {@code *} for any.
     */
    Optional<List<String>> allowedHosts();
  }

  /** The token that ties a runner to one run and one epoch. */
  interface Lease {
    /**
     * Whether what a runner sends or asks is refused where no lease came with it; a bad one is
     * always refused. As the orchestrator has it.
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

    @WithDefault("baton")
    String password();
  }

  /** S3. */
  interface ObjectStore {
    /** As runners reach it too: presigned URLs begin with it. */
    @WithDefault("http://127.0.0.1:9000")
    @WithConverter(StoreConfigConverter.HttpUrl.class)
    URI endpoint();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Bucket.class)
    String bucket();

    @WithDefault("baton")
    @WithConverter(StoreConfigConverter.Name.class)
    String accessKey();

    @WithDefault("baton-secret")
    @WithConverter(StoreConfigConverter.Name.class)
    String secretKey();

    /** Named, so that signing an URL needs no question to the server. */
    @WithDefault("us-east-1")
    @WithConverter(StoreConfigConverter.Name.class)
    String region();

    /** How long a presigned URL works: 1 minute to 7 days. */
    @WithDefault("PT1H")
    @WithConverter(StoreConfigConverter.UrlLife.class)
    Duration urlLife();
  }

  /** Snapshots. */
  interface Snapshot {
    /** How long a question for an epoch waits where it does not say: 100 ms to 60 s. */
    @WithDefault("PT10S")
    @WithConverter(StoreConfigConverter.Wait.class)
    Duration defaultWait();

    /**
     * JSON bytes of all states that are folded at once, 1 MiB to 1 GiB; a larger one is refused,
     * and a step that would let a run's state grow beyond seven eighths of it fails. In memory a
     * state takes up to twice as much.
     */
    @WithDefault("134217728")
    @WithConverter(StoreConfigConverter.SnapshotBytes.class)
    long maxBytes();
  }

  /** Reading what was uploaded. */
  interface Verify {
    /** How long after the last commit it begins: 0 to 1 hour. */
    @WithDefault("PT2S")
    @WithConverter(StoreConfigConverter.Delay.class)
    Duration delay();
  }

  /** Reading again what was verified before. */
  interface Scrub {
    /** Bytes a second at most, 0 to 1 GiB; 0: never. */
    @WithDefault("4194304")
    @WithConverter(StoreConfigConverter.Rate.class)
    long bytesPerSecond();

    /** How old a pack's last verification may become: 1 second to 10 years. */
    @WithDefault("PT720H")
    @WithConverter(StoreConfigConverter.Age.class)
    Duration after();
  }

  /** Garbage collection of packs. */
  interface Gc {
    @WithDefault("true")
    boolean enabled();

    /** 1 second to 7 days. */
    @WithDefault("PT1H")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();

    /**
     * How long a pack that no checkpoint refers to is kept after it was last promised to a runner:
     * 2 minutes to 10 years, and at least twice {@code baton.object-store.url-life}.
     */
    @WithDefault("PT24H")
    @WithConverter(StoreConfigConverter.Grace.class)
    Duration grace();
  }

  /** Which checkpoints are deleted. */
  interface Retention {
    @WithDefault("true")
    boolean enabled();

    /** 1 second to 7 days. */
    @WithDefault("PT5M")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();

    /** Of a run, besides those that are kept for what they are: 1 to 1,000,000. */
    @WithDefault("10")
    @WithConverter(StoreConfigConverter.Count.class)
    int maxCheckpoints();

    /** 1 second to 10 years. */
    @WithDefault("PT168H")
    @WithConverter(StoreConfigConverter.Age.class)
    Duration maxAge();

    /** Those made when a run completed. */
    @WithDefault("true")
    boolean keepComplete();

    /** Those made when something failed. */
    @WithDefault("true")
    boolean keepError();

    /** Other values for a project. */
    Map<String, Special> projects();

    /** Other values for a workflow, by its name; they come before the project's. */
    Map<String, Special> workflows();

    /** What differs; the rest is as above. */
    interface Special {
      @WithConverter(StoreConfigConverter.Count.class)
      Optional<Integer> maxCheckpoints();

      @WithConverter(StoreConfigConverter.Age.class)
      Optional<Duration> maxAge();

      Optional<Boolean> keepComplete();

      Optional<Boolean> keepError();
    }
  }

  /** Runs in a git repository. */
  interface Archive {
    /**
     * The repository's folder, bare or not; where there is nothing yet, a bare one is made. Absent:
     * no archive.
     */
    @WithConverter(StoreConfigConverter.Folder.class)
    Optional<Path> git();

    /**
     * Bytes of outputs and packs that a run's commit may carry, 0 to 8 GiB. What does not fit is
     * left out, and the manifest says so.
     */
    @WithDefault("67108864")
    @WithConverter(StoreConfigConverter.ArchiveBytes.class)
    long maxWorkspace();

    /**
     * How often the store looks for runs that it has not archived, and for archived ones that it
     * does not know: 1 second to 7 days.
     */
    @WithDefault("PT5M")
    @WithConverter(StoreConfigConverter.Period.class)
    Duration interval();
  }
}
