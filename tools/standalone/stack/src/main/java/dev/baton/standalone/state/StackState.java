/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.state;

import dev.baton.process.ProcessIdentity;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code stack.json}: a stack's addresses and processes. Ports and secrets are kept
 * after a stop, so that the next start reuses them.
 *
 * @param version of this format
 * @param data the data folder
 * @param ready whether every component is ready: false from the exit of one until it is ready again
 * @param compact whether it was started to use less memory
 * @param supervisor the holder of the data folder; null when there is none
 * @param urls of the components, by name
 * @param ports the ports in use, by name
 * @param s3 access to the object store; null before the first start with one
 * @param postgres access to the database; null before the first start with one
 * @param components the processes, by component
 */
public record StackState(
    int version,
    String data,
    boolean ready,
    boolean compact,
    @Nullable ProcessIdentity supervisor,
    Map<String, String> urls,
    Map<String, Integer> ports,
    @Nullable S3Secrets s3,
    @Nullable PostgresSecrets postgres,
    Map<String, RunningProcess> components) {

  /** The format written today. */
  public static final int VERSION = 1;

  public StackState {
    urls = sorted(urls);
    ports = sorted(ports);
    components = sorted(components);
  }

  /** The state before the first start. */
  public static StackState empty(String data) {
    return new StackState(
        VERSION, data, false, false, null, Map.of(), Map.of(), null, null, Map.of());
  }

  /** One component's process; {@code restarts} counts its restarts after unexpected exits. */
  public record RunningProcess(long pid, String started, int restarts) {
    /** The process's identity. */
    public ProcessIdentity id() {
      return new ProcessIdentity(pid, started);
    }
  }

  /** The object store's keys. */
  public record S3Secrets(String accessKey, String secretKey, String bucket, String region) {
    @Override
    public String toString() {
      return "S3Secrets[" + accessKey + "]";
    }
  }

  /** The database's owner. */
  public record PostgresSecrets(
      String host, int port, String database, String user, String password) {
    @Override
    public String toString() {
      return "PostgresSecrets[" + user + "]";
    }
  }

  private static <V> Map<String, V> sorted(@Nullable Map<String, V> map) {
    return java.util.Collections.unmodifiableMap(
        map == null ? new TreeMap<>() : new TreeMap<>(map));
  }
}
