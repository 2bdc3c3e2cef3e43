/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.ProcessIdentity;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.postgres.PostgresAccess;
import dev.baton.standalone.process.ManagedProcess;
import dev.baton.standalone.process.ProcessEvent;
import dev.baton.standalone.process.ProcessSpec;
import dev.baton.standalone.process.RestartBackoff;
import dev.baton.standalone.state.DataLock;
import dev.baton.standalone.state.StackFile;
import dev.baton.standalone.state.StackState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs Baton on one machine: Kafka, Postgres and an S3 server, the checkpoint-store and the
 * orchestrator, each as a separate process supervised by this one, all on 127.0.0.1.
 *
 * <p>Start order: the three servers in parallel, then the two services in parallel. Data, ports and
 * secrets stay in the data folder and are reused by the next start. One stack per data folder.
 *
 * <p>Thread-safe.
 */
public final class StandaloneStack implements AutoCloseable {

  /**
   * Environment variable with the data folder; set in every process of a stack and inherited by
   * their children.
   */
  public static final String MARK = "BATON_STACK";

  private static final List<Set<StackComponent>> START_ORDER =
      List.of(
          EnumSet.of(StackComponent.KAFKA, StackComponent.POSTGRES, StackComponent.S3),
          EnumSet.of(StackComponent.STORE, StackComponent.ORCHESTRATOR));

  private final StackPaths folders;
  private final DataLock lock;
  private final StackAccess access;
  private final String apiKey;
  private final StackFile file;
  private final boolean compact;
  private final ProcessSpecFactory specs;
  private final Consumer<String> progress;
  private final Map<StackComponent, ManagedProcess> processes = new EnumMap<>(StackComponent.class);
  private final Queue<ServiceReplica> replicas = new ConcurrentLinkedQueue<>();
  private final Object writing = new Object();
  private volatile boolean started;
  private volatile boolean closed;

  private StandaloneStack(
      StackBuilder builder,
      InstallationLayout layout,
      StackPaths folders,
      DataLock lock,
      StackAccess access)
      throws IOException {
    this.folders = folders;
    this.lock = lock;
    this.access = access;
    this.apiKey = LocalKeyFile.createIfMissing(folders.data());
    this.file = new StackFile(folders.data());
    this.progress = builder.progress;
    this.compact = builder.compact;
    this.specs =
        new ProcessSpecFactory(
            layout,
            folders,
            access,
            builder.aot,
            builder.runnerAot(),
            builder.compact,
            builder.environment);
    for (StackComponent component : builder.components) {
      processes.put(
          component,
          new ManagedProcess(
              specs.of(component), builder.autoRestart, RestartBackoff.DEFAULT, this::onEvent));
    }
  }

  /**
   * Creates the missing AOT caches that later starts by this user use: starts a stack, which
   * records itself, executes a run on it, and stops it. Takes a minute or two.
   *
   * @param data a folder for that stack
   * @return whether all exist; a program without one starts more slowly
   */
  public static boolean makeAotCaches(Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    return makeAotCaches(InstallationLayout.find(), data, progress);
  }

  /** Like {@link #makeAotCaches(Path, Consumer)}, for the programs of another installation. */
  public static boolean makeAotCaches(
      InstallationLayout installation, Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    EnumSet<StackComponent> all = EnumSet.allOf(StackComponent.class);
    return AotCacheTrainer.run(installation, data, all, false, progress) == 0;
  }

  /** Returns a builder of a stack of all components on free ports; the folder must be set. */
  public static StackBuilder builder() {
    return new StackBuilder();
  }

  /**
   * Locks the data folder, stops leftover processes of a killed supervisor, and selects ports;
   * starts no process yet.
   */
  static StandaloneStack prepare(StackBuilder builder) throws IOException, InterruptedException {
    StackPaths folders = StackPaths.prepare(builder.data());
    DataLock lock =
        DataLock.take(folders.data())
            .orElseThrow(
                () -> new StackException("a stack is already running on " + folders.data()));
    try {
      StackState last = OrphanStackProcessReaper.clear(folders.data(), builder.progress);
      OrphanStackProcessReaper.clearTemp(folders);
      StackAccess access =
          StackAccess.choose(
              last,
              folders.data(),
              builder.preferredApiPort,
              builder.apiPort,
              builder.tls
                  ? Optional.of(StackCertificates.issue(folders.data()))
                  : Optional.empty());
      InstallationLayout layout =
          builder.layout == null ? InstallationLayout.find() : builder.layout;
      return new StandaloneStack(builder, layout, folders, lock, access);
    } catch (IOException | InterruptedException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  void startAll() throws IOException, InterruptedException {
    write();
    for (Set<StackComponent> group : START_ORDER) {
      Set<StackComponent> wanted = EnumSet.copyOf(group);
      wanted.retainAll(processes.keySet());
      together(wanted, ManagedProcess::start);
    }
    started = true;
    write();
  }

  /** Kafka's address as {@code host:port}. */
  public String kafkaBootstrap() {
    return access.kafkaBootstrap();
  }

  /** Access data of the database. */
  public PostgresAccess postgres() {
    return access.postgres();
  }

  /** Access data of the object store. */
  public S3Access s3() {
    return access.s3();
  }

  /** The checkpoint-store's URL for HTTP; gRPC is on the same port. */
  public String storeUrl() {
    return access.storeUrl();
  }

  /** The orchestrator's URL for HTTP; gRPC is on the same port. */
  public String orchestratorUrl() {
    return access.orchestratorUrl();
  }

  /** The API key with which programs of this user call the orchestrator, as admins. */
  public String apiKey() {
    return apiKey;
  }

  /** What a client of the services trusts and presents; nothing without TLS. */
  public TlsSettings clientTls() {
    return access.tls().map(StackCertificates::client).orElse(TlsSettings.NONE);
  }

  /** The data folder. */
  public Path data() {
    return folders.data();
  }

  /** The log of a component's standard output and error. */
  public Path log(StackComponent component) {
    return folders.log(component.label());
  }

  /**
   * A component's process while it is alive.
   *
   * @throws IllegalArgumentException when the stack has no such component
   */
  public Optional<ProcessIdentity> process(StackComponent component) {
    return managed(component).id();
  }

  /** Number of restarts of a component after unexpected exits. */
  public int restarts(StackComponent component) {
    return managed(component).restarts();
  }

  /**
   * Kills a component with SIGKILL and waits until it is gone. It is restarted only if automatic
   * restarts are on.
   */
  public void kill(StackComponent component) throws InterruptedException {
    managed(component).kill();
    tryWrite();
  }

  /** Stops a component cleanly; it stays down until {@link #restart}. */
  public void stop(StackComponent component) throws IOException, InterruptedException {
    managed(component).stop();
    write();
  }

  /**
   * Stops a component if it is running, starts it on the same port and data, and waits until it is
   * ready.
   */
  public void restart(StackComponent component) throws IOException, InterruptedException {
    stop(component);
    managed(component).start();
  }

  /** Waits until a component is ready; false when it is not within {@code bound}. */
  public boolean awaitReady(StackComponent component, Duration bound) throws InterruptedException {
    return managed(component).awaitReady(bound);
  }

  /**
   * Creates an additional process of a service: the same program, settings and servers, with a
   * separate port and data folder. It is not started yet, is not restarted when it dies, and ends
   * with the stack.
   *
   * @param service the orchestrator or the checkpoint-store
   * @param port of 127.0.0.1, see {@link ServiceReplica#freePort}
   * @param environment overrides the stack's own
   * @throws IllegalArgumentException when the component is not a service
   */
  public ServiceReplica replica(StackComponent service, int port, Map<String, String> environment)
      throws IOException {
    return replica(specs, service, port, environment);
  }

  /**
   * Like {@link #replica(StackComponent, int, Map)}, but with the programs of another installation:
   * its service, and the runners that this starts.
   */
  public ServiceReplica replica(
      InstallationLayout installation,
      StackComponent service,
      int port,
      Map<String, String> environment)
      throws IOException {
    return replica(specs.of(installation), service, port, environment);
  }

  private ServiceReplica replica(
      ProcessSpecFactory specs, StackComponent service, int port, Map<String, String> environment)
      throws IOException {
    if (!service.isService()) {
      throw new IllegalArgumentException(
          service.label() + " cannot be replicated; allowed: orchestrator, checkpoint-store");
    }
    ProcessSpec spec = specs.replica(service, port, environment);
    ServiceReplica replica =
        new ServiceReplica(
            service,
            access.service(port),
            new ManagedProcess(
                spec,
                false,
                RestartBackoff.DEFAULT,
                event -> progress.accept(ProcessEventFormatter.line(event))));
    replicas.add(replica);
    return replica;
  }

  /**
   * Stops everything in reverse order, including runners and their steps, and releases the data
   * folder. Data, ports and secrets stay. Idempotent.
   *
   * @throws StackException when a process could not be stopped; the others are, and the data folder
   *     is released
   */
  @Override
  public void close() throws StackException {
    synchronized (writing) {
      if (closed) {
        return;
      }
      closed = true;
    }
    Set<StackComponent> servers = EnumSet.copyOf(START_ORDER.getFirst());
    servers.retainAll(processes.keySet());
    // Each step runs even if earlier ones failed. Runners stop after the process that starts them,
    // and before those that they need for their last cut.
    ShutdownSequence ending = new ShutdownSequence();
    OverlappingStopper training = new OverlappingStopper();
    retire(ending, training, StackComponent.ORCHESTRATOR, access.orchestratorPort());
    if (specs.aot() != AotMode.TRAIN) {
      ending.step(this::stopRunners);
    }
    retire(ending, training, StackComponent.STORE, access.storePort());
    ending.step(() -> together(servers, ManagedProcess::retire));
    if (specs.aot() == AotMode.TRAIN) {
      ending.step(training::await);
      // Only now: the JVMs that assemble caches have the mark, too.
      ending.step(this::stopRunners);
    }
    ending.step(() -> file.write(state()));
    ending.step(lock::close);
    ending.finish();
  }

  private void stopRunners() throws IOException, InterruptedException {
    OrphanStackProcessReaper.stopMarked(folders.data(), running(), progress);
  }

  /** The command line of a runner, which gets all other settings from its environment. */
  public List<String> runnerCommand() throws IOException {
    return specs.runner(AotMode.USE).line(List.of());
  }

  ProcessSpecFactory specs() {
    return specs;
  }

  private void retire(
      ShutdownSequence ending, OverlappingStopper training, StackComponent component, int port) {
    for (ServiceReplica replica : replicas) {
      if (replica.component() == component) {
        ending.step(replica::retire);
      }
    }
    ManagedProcess process = processes.get(component);
    if (process != null && specs.aot() == AotMode.TRAIN) {
      ending.step(() -> training.retire(process, port));
    } else if (process != null) {
      ending.step(process::retire);
    }
  }

  private interface Action {
    void on(ManagedProcess process) throws IOException, InterruptedException;
  }

  private void together(Set<StackComponent> components, Action action)
      throws IOException, InterruptedException {
    Map<StackComponent, Exception> failed = new ConcurrentHashMap<>();
    List<Thread> threads =
        components.stream()
            .map(
                component ->
                    Thread.ofVirtual()
                        .name("stack-" + component.label())
                        .start(
                            () -> {
                              try {
                                action.on(managed(component));
                              } catch (IOException | InterruptedException | RuntimeException e) {
                                failed.put(component, e);
                              }
                            }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failed.isEmpty()) {
      var first = new TreeMap<>(failed).firstEntry();
      throw new StackException(String.valueOf(first.getValue().getMessage()), first.getValue());
    }
  }

  private ManagedProcess managed(StackComponent component) {
    ManagedProcess process = processes.get(component);
    if (process == null) {
      throw new IllegalArgumentException(
          "this stack has no " + component.label() + ", only " + processes.keySet());
    }
    return process;
  }

  private List<ProcessIdentity> running() {
    return Stream.concat(
            processes.values().stream().map(ManagedProcess::id),
            replicas.stream().map(ServiceReplica::process))
        .flatMap(Optional::stream)
        .toList();
  }

  private void onEvent(ProcessEvent event) {
    progress.accept(ProcessEventFormatter.line(event));
    switch (event) {
      case ProcessEvent.Started _, ProcessEvent.Ready _, ProcessEvent.Died _ -> tryWrite();
      case ProcessEvent.RestartFailed _,
          ProcessEvent.KeepsFailing _,
          ProcessEvent.LogLost _,
          ProcessEvent.Stopped _ -> {}
    }
  }

  private void tryWrite() {
    try {
      write();
    } catch (IOException e) {
      progress.accept("stack.json could not be written: " + e.getMessage());
    }
  }

  private void write() throws IOException {
    synchronized (writing) {
      if (!closed) {
        file.write(state());
      }
    }
  }

  private StackState state() {
    Map<String, StackState.RunningProcess> components = new HashMap<>();
    processes.forEach(
        (component, process) ->
            process
                .id()
                .ifPresent(
                    id ->
                        components.put(
                            component.label(),
                            new StackState.RunningProcess(
                                id.pid(), id.started(), process.restarts()))));
    @Nullable ProcessIdentity self =
        closed ? null : ProcessIdentity.of(ProcessHandle.current().pid()).orElse(null);
    return new StackState(
        StackState.VERSION,
        folders.data().toString(),
        started && !closed && processes.values().stream().allMatch(ManagedProcess::isReady),
        self != null && compact,
        self,
        access.urls(),
        access.ports(),
        access.s3Secrets(),
        access.postgresSecrets(),
        components);
  }
}
