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
import java.time.Duration;

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

  Snapshot snapshot();

  /** Postgres. */
  interface Db {
    @WithDefault("127.0.0.1")
    @WithConverter(Checks.Name.class)
    String host();

    @WithDefault("5432")
    @WithConverter(Checks.Port.class)
    int port();

    @WithDefault("baton")
    @WithConverter(Checks.Name.class)
    String name();

    @WithDefault("baton")
    @WithConverter(Checks.Name.class)
    String user();

    @WithDefault("baton")
    String password();
  }

  /** S3. */
  interface ObjectStore {
    /** As runners reach it too: presigned URLs begin with it. */
    @WithDefault("http://127.0.0.1:9000")
    @WithConverter(Checks.HttpUrl.class)
    URI endpoint();

    @WithDefault("baton")
    @WithConverter(Checks.Bucket.class)
    String bucket();

    @WithDefault("baton")
    @WithConverter(Checks.Name.class)
    String accessKey();

    @WithDefault("baton-secret")
    @WithConverter(Checks.Name.class)
    String secretKey();

    /** Named, so that signing an URL needs no question to the server. */
    @WithDefault("us-east-1")
    @WithConverter(Checks.Name.class)
    String region();

    /** How long a presigned URL works: 1 minute to 7 days. */
    @WithDefault("PT1H")
    @WithConverter(Checks.UrlLife.class)
    Duration urlLife();
  }

  /** Snapshots. */
  interface Snapshot {
    /** How long a question for an epoch waits where it does not say: 100 ms to 60 s. */
    @WithDefault("PT10S")
    @WithConverter(Checks.Wait.class)
    Duration defaultWait();

    /**
     * JSON bytes of all states that are folded at once, 1 MiB to 64 MiB (which is what the
     * orchestrator takes); a larger one is refused. In memory a state is several times as large.
     */
    @WithDefault("33554432")
    @WithConverter(Checks.SnapshotBytes.class)
    long maxBytes();
  }
}
