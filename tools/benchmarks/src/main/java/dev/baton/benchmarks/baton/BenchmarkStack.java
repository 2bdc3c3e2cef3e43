/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.ProcfsUsageReader;
import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** A stack in a separate folder, and its processes. */
public final class BenchmarkStack implements AutoCloseable {
  private static final String RUNNER = "runner";
  private static final Duration BACK_WITHIN = Duration.ofMinutes(3);
  private static final long LOOK_MS = 100;

  private final StandaloneStack stack;
  private final Set<StackComponent> components;

  private BenchmarkStack(StandaloneStack stack, Set<StackComponent> components) {
    this.stack = stack;
    this.components = components;
  }

  /**
   * Starts all components, on free ports.
   *
   * @param environment additional variables for components, by the component's label
   * @throws IOException when one does not become ready; then no process is left running
   */
  public static BenchmarkStack start(
      Path data, Map<String, Map<String, String>> environment, Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder().data(data).progress(progress),
        EnumSet.allOf(StackComponent.class),
        environment);
  }

  /** Like {@link #start(Path, Map, Consumer)}, with the memory of {@code baton up --compact}. */
  public static BenchmarkStack startCompact(
      Path data, Map<String, Map<String, String>> environment, Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder().data(data).progress(progress).compact(true),
        EnumSet.allOf(StackComponent.class),
        environment);
  }

  /** Like {@link #start(Path, Map, Consumer)}, with the programs of another installation. */
  public static BenchmarkStack start(
      InstallationLayout installation,
      Path data,
      Map<String, Map<String, String>> environment,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder().data(data).progress(progress).layout(installation),
        EnumSet.allOf(StackComponent.class),
        environment);
  }

  /** Starts all components; no caller needs an identity, and none uses TLS. */
  public static BenchmarkStack startOpen(Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder().data(data).progress(progress),
        EnumSet.allOf(StackComponent.class),
        services("BATON_IDENTITY_REQUIRED", "false"));
  }

  /**
   * Starts all components with everything that secures them: identities, leases also of external
   * runs, and TLS of both services.
   */
  public static BenchmarkStack startSecured(Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder().data(data).progress(progress).tls(true),
        EnumSet.allOf(StackComponent.class),
        services("BATON_LEASE_REQUIRED", "true"));
  }

  private static Map<String, Map<String, String>> services(String name, String value) {
    Map<String, String> variables = Map.of(name, value);
    return Map.of(
        StackComponent.STORE.label(), variables, StackComponent.ORCHESTRATOR.label(), variables);
  }

  /** Starts a stack without an orchestrator: only what stores checkpoints. */
  public static BenchmarkStack startStore(
      Path data, Map<String, Map<String, String>> environment, Consumer<String> progress)
      throws IOException, InterruptedException {
    return start(
        StandaloneStack.builder()
            .data(data)
            .progress(progress)
            // Only an orchestrator signs leases.
            .environment(StackComponent.STORE, "BATON_IDENTITY_REQUIRED", "false")
            .components(
                StackComponent.KAFKA,
                StackComponent.POSTGRES,
                StackComponent.S3,
                StackComponent.STORE),
        EnumSet.complementOf(EnumSet.of(StackComponent.ORCHESTRATOR)),
        environment);
  }

  private static BenchmarkStack start(
      StackBuilder builder,
      Set<StackComponent> components,
      Map<String, Map<String, String>> environment)
      throws IOException, InterruptedException {
    for (StackComponent component : components) {
      environment
          .getOrDefault(component.label(), Map.of())
          .forEach((name, value) -> builder.environment(component, name, value));
    }
    return new BenchmarkStack(builder.start(), components);
  }

  /** The key with which requests are sent to its orchestrators. */
  String apiKey() {
    return stack.apiKey();
  }

  /** What a client of the orchestrator trusts and presents; nothing without TLS. */
  TlsSettings clientTls() {
    return stack.clientTls();
  }

  public URI orchestrator() {
    return URI.create(stack.orchestratorUrl());
  }

  /**
   * Starts a second orchestrator, which ends with the stack at the latest. Runners that it starts
   * can connect to both, those of the stack's own only to that one.
   *
   * @throws IOException when it is not ready within two minutes
   */
  public ServiceReplica secondOrchestrator() throws IOException, InterruptedException {
    int port = ServiceReplica.freePort();
    String urls = ServiceReplica.url(port) + "," + stack.orchestratorUrl();
    ServiceReplica second =
        stack.replica(StackComponent.ORCHESTRATOR, port, Map.of("BATON_ORCHESTRATOR_URL", urls));
    second.start();
    return second;
  }

  public String kafka() {
    return stack.kafkaBootstrap();
  }

  /** The checkpoint-store's address. */
  public String store() {
    return stack.storeUrl();
  }

  /** The folder in which the S3 server keeps the bucket's objects under their names. */
  public Path objects() {
    return stack.data().resolve(StackComponent.S3.label()).resolve(stack.s3().bucket());
  }

  /**
   * Returns the bytes of the files of each part: the folder of Kafka, the databases and the log of
   * Postgres, and the objects of the bucket.
   */
  public Map<String, Long> diskBytes() throws IOException {
    Path postgres = stack.data().resolve(StackComponent.POSTGRES.label()).resolve("data");
    return Map.of(
        "kafka", DiskUsage.of(stack.data().resolve(StackComponent.KAFKA.label())).bytes(),
        "postgres database", DiskUsage.of(postgres.resolve("base")).bytes(),
        "postgres log", DiskUsage.of(postgres.resolve("pg_wal")).bytes(),
        "objects", DiskUsage.of(objects()).bytes());
  }

  /**
   * Returns how many records of the log expired before a service had read them: figures of such a
   * stack have no meaning.
   */
  public long unreadRecords() throws IOException, InterruptedException {
    try (BenchmarkApiClient store =
            new BenchmarkApiClient(URI.create(stack.storeUrl()), apiKey(), clientTls());
        BenchmarkApiClient view = new BenchmarkApiClient(orchestrator(), apiKey(), clientTls())) {
      return (long)
          (store.counter("baton_store_missing_offsets_total")
              + view.counter("baton_projection_missing_offsets_total"));
    }
  }

  LogBatchCount traceBatches() throws IOException {
    return LogBatchCount.ofTrace(stack.data().resolve(StackComponent.KAFKA.label()));
  }

  public ProcessFootprint footprint() throws IOException {
    return ProcfsUsageReader.of(processes());
  }

  /**
   * Returns the CPU time of all processes so far in microseconds, by component. Runners include the
   * processes of their steps, and the runners that have ended.
   */
  public Map<String, Long> cpuMicrosWithEnded() throws IOException {
    return ProcfsUsageReader.cpuMicrosWithEnded(
        processes(), Map.of(StackComponent.ORCHESTRATOR.label(), RUNNER));
  }

  /**
   * Waits until no runner process is left.
   *
   * @throws IOException when one is after {@code bound}
   */
  public void awaitNoRunner(Duration bound) throws IOException, InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (processes().containsValue(RUNNER)) {
      if (System.nanoTime() > end) {
        throw new IOException("runners have not ended " + bound + " after their runs");
      }
      // The end of a process that another one has started is not an event of this one.
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }

  /**
   * Returns a component's pid.
   *
   * @throws IOException when it has died
   */
  public long pid(StackComponent component) throws IOException {
    return stack
        .process(component)
        .orElseThrow(() -> new IOException("the " + component.label() + " has died"))
        .pid();
  }

  /**
   * Sends SIGKILL, waits, and restarts the component. Blocks until it is ready.
   *
   * @throws IOException when it is not ready within three minutes
   */
  public void killFor(StackComponent component, Duration away)
      throws IOException, InterruptedException {
    stack.kill(component);
    TimeUnit.MILLISECONDS.sleep(away.toMillis());
    stack.restart(component);
    if (!stack.awaitReady(component, BACK_WITHIN)) {
      throw new IOException(
          "the " + component.label() + " is not ready " + BACK_WITHIN + " after its restart");
    }
  }

  /** Returns all processes of the stack, including runners, with the component of each. */
  public Map<Long, String> processes() throws IOException {
    Map<Long, String> started = new HashMap<>();
    for (StackComponent component : components) {
      Optional<ProcessIdentity> process = stack.process(component);
      process.ifPresent(id -> started.put(id.pid(), component.label()));
    }
    Map<Long, String> parts = new TreeMap<>(started);
    started.forEach(
        (pid, component) -> descendants(pid).forEach(it -> parts.put(it, of(component))));
    // Runners are not descendants of the stack after their orchestrator has died.
    for (ProcessIdentity process :
        MarkedProcessFinder.withVariable(StandaloneStack.MARK, stack.data().toString())) {
      parts.putIfAbsent(process.pid(), RUNNER);
    }
    return parts;
  }

  private static LongStream descendants(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .mapToLong(ProcessHandle::pid);
  }

  /** Postgres has many processes; child processes of the orchestrator are runners. */
  private static String of(String parent) {
    return parent.equals(StackComponent.ORCHESTRATOR.label()) ? RUNNER : parent;
  }

  @Override
  public void close() throws IOException {
    stack.close();
  }
}
