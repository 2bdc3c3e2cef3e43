/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.grpc.Checkpoint;
import dev.baton.protocol.grpc.Confirmed;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.HandOver;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.grpc.Hello;
import dev.baton.protocol.grpc.Pause;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.topic.TopicName;
import dev.baton.runner.attach.GatewayClient;
import dev.baton.runner.attach.GatewayMessageMapper;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.config.RunnerConfig.Mode;
import dev.baton.runner.engine.CheckpointSettings;
import dev.baton.runner.engine.DelayedStepStarted;
import dev.baton.runner.engine.HostNameReader;
import dev.baton.runner.engine.RunAssignment;
import dev.baton.runner.engine.RunTask;
import dev.baton.runner.engine.RunTaskOutcome;
import dev.baton.runner.engine.RunnerContext;
import dev.baton.runner.engine.StopReason;
import dev.baton.runner.engine.WorkflowCache;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.journal.RunnerProducerFactory;
import dev.baton.runner.logs.LogSettings;
import dev.baton.runner.logs.LogShipper;
import dev.baton.runner.logs.RunLogUploader;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.steps.StepExecutorRegistry;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Producer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the components of the runner process and tracks the runs it executes. Components start
 * concurrently where possible, because start-up time is failover time.
 */
public final class Runner implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Runner.class);

  /**
   * At a normal end, where no sender of SIGTERM waits: allows for a short outage of the object
   * store.
   */
  private static final Duration LOG_PATIENCE_AT_END = Duration.ofSeconds(10);

  private final RunnerConfig config;
  private final ShutdownBudget budget;
  private final ManagedChannel orchestratorChannel;
  private final ManagedChannel storeChannel;
  private final Producer<String, byte[]> producer;
  private final HeartbeatPublisher heartbeats;
  private final DelayedStepStarted announcements = new DelayedStepStarted();
  private final RunLogUploader logs;
  private final GatewayClient gateway;
  private final RunnerContext services;
  private final RunnerWarmup warmup;
  private final Map<String, Carried> runs = new ConcurrentHashMap<>();
  private final EndedRunRegistry endedRuns = new EndedRunRegistry();
  private final CompletableFuture<RunnerExitCode> exit = new CompletableFuture<>();
  private final CompletableFuture<Void> assigned = new CompletableFuture<>();
  // The stream is opened before the other components are created, and its first message may arrive
  // before they are ready.
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final AtomicBoolean leaving = new AtomicBoolean();
  private final RetirementTimer lifetime;
  private final Object order = new Object();
  private CompletableFuture<Void> handled = ready;
  private boolean closed;
  private volatile boolean closing;
  private @Nullable VitalThreadWatcher vital;

  /**
   * A run that this process executes.
   *
   * @param gone completes when the run is no longer executed here and its release was reported
   * @param handOver completes when the orchestrator has reported that the run can be taken over
   */
  private record Carried(
      RunTask task, CompletableFuture<Void> gone, CompletableFuture<Void> handOver) {
    CompletableFuture<?> goneOrHandedOver() {
      return CompletableFuture.anyOf(gone, handOver);
    }
  }

  public Runner(RunnerConfig config, StepExecutorRegistry executors) {
    this(
        config,
        executors,
        RunnerProducerFactory.kafka(
            config.kafkaSecurity().client(config.kafkaBootstrapServers()), config.runnerId()));
  }

  /**
   * @param producers creates the producers of trace, heartbeats and logs
   */
  public Runner(
      RunnerConfig config, StepExecutorRegistry executors, RunnerProducerFactory producers) {
    this.config = config;
    budget = ShutdownBudget.of(config.grace());
    orchestratorChannel = GrpcChannelFactory.open(config.orchestrator(), config.tls());
    gateway =
        new GatewayClient(orchestratorChannel, config.attachToken(), this::hello, this::receive);
    if (config.mode() != Mode.WARM) {
      gateway.open();
    }
    storeChannel = GrpcChannelFactory.open(config.store(), config.tls());
    RunnerStoreClient store = new RunnerStoreClient(storeChannel, config.tls());
    WorkspaceMount fixed =
        config
            .workspacePath()
            .map(path -> WorkspaceMount.at(path, config.data().resolve("runs")))
            .orElse(WorkspaceMount.NONE);
    SnapshotPrefetch early = new SnapshotPrefetch(config, store, fixed);
    producer = producers.durable();
    warmup = new RunnerWarmup(config, store, executors, producer);
    Thread.ofVirtual().name("connect").start(this::connect);
    heartbeats = new HeartbeatPublisher(config.runnerId(), producer);
    logs =
        new RunLogUploader(
            new LogShipper(config.runnerId(), producers::lossy),
            store,
            LogSettings.of(config.data(), config.logSpoolMax(), config.logMax()));
    services =
        new RunnerContext(
            config.runnerId(),
            config.data(),
            producer,
            store,
            early,
            heartbeats,
            logs,
            executors,
            announcements,
            new WorkflowCache(),
            new CheckpointSettings(
                config.checkpointInterval(),
                config.checkpointEnvironment(),
                config.secretCheckpoints()),
            gateway::confirm,
            new EventSpoolSettings(config.data(), config.spoolMax()),
            fixed);
    lifetime = RetirementTimer.start(config.maxLifetime(), this::retire);
    ready.complete(null);
  }

  /** Loads and links in advance what a first run needs, next to a run in progress. Blocks. */
  void warmUp() throws InterruptedException {
    warmup.run();
  }

  /** Blocks until the process has no more work. */
  public RunnerExitCode awaitExit() throws InterruptedException {
    try {
      if (config.carries().isPresent()) {
        CompletableFuture.anyOf(assigned, exit)
            .get(config.assignPatience().toMillis(), TimeUnit.MILLISECONDS);
      }
      return exit.get();
    } catch (TimeoutException e) {
      LOG.errorf(
          "no assignment from the orchestrator at %s within %d s",
          config.orchestrator(), config.assignPatience().toSeconds());
      return RunnerExitCode.UNAVAILABLE;
    } catch (ExecutionException e) {
      LOG.error("the runner failed", e.getCause());
      return RunnerExitCode.INTERNAL;
    }
  }

  /**
   * Handles SIGTERM: hands over the runs, stops the remaining steps, cuts the workspaces and ends
   * the process, within the grace of its settings: {@link ShutdownBudget}. If the orchestrator is
   * unreachable, no handover is possible, and the first two parts are omitted.
   */
  public void terminate() {
    lifetime.close();
    leave("terminated", budget.total(), budget.steps());
    stopAll(StopReason.SHUTDOWN, budget.stop());
    // The JVM does not wait for the main thread, so pending data is sent from here.
    close();
    exit.complete(RunnerExitCode.TERMINATED);
  }

  /**
   * Handles the end of the process's lifetime: like SIGTERM, with more time for steps in progress.
   */
  private void retire(Duration left) {
    leave("max_lifetime", left, left.minus(budget.total().minus(budget.steps())));
    stopAll(StopReason.SHUTDOWN, budget.stop());
    exit.complete(RunnerExitCode.TERMINATED);
  }

  /**
   * Hands over the runs if the orchestrator is reachable: each run continues until a replacement is
   * ready, then stops after the step in progress. Runs that have not stopped in time are left to
   * the caller.
   *
   * @param within time until the process has ended
   * @param steps maximum wait for steps in progress
   */
  private void leave(String reason, Duration within, Duration steps) {
    if (leaving.getAndSet(true)) {
      return; // Already leaving; a caller with less time does not wait for it.
    }
    CompletableFuture<Void> unheard = gateway.leave(reason, within);
    List<Carried> all = List.copyOf(runs.values());
    if (all.isEmpty() || unheard.isDone()) {
      return;
    }
    CompletableFuture<?> ready =
        CompletableFuture.allOf(
            all.stream().map(Carried::goneOrHandedOver).toArray(CompletableFuture<?>[]::new));
    CompletableFuture<?> gone =
        CompletableFuture.allOf(
            all.stream().map(Carried::gone).toArray(CompletableFuture<?>[]::new));
    try {
      CompletableFuture.anyOf(ready, unheard)
          .completeOnTimeout(null, budget.handOver().toMillis(), TimeUnit.MILLISECONDS)
          .get();
      if (unheard.isDone()) {
        return;
      }
      all.forEach(carried -> carried.task().stop(StopReason.LEAVING));
      gone.completeOnTimeout(null, steps.toMillis(), TimeUnit.MILLISECONDS).get();
    } catch (ExecutionException e) {
      LOG.warnf("handover: not all runs were handed over; shutdown continues: %s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Idempotent. A concurrent second call returns when the first has finished. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing = true;
    if (vital != null) {
      vital.close();
    }
    lifetime.close();
    stopAll(StopReason.BROKEN, budget.close());
    services.executors().agents().close();
    gateway.close();
    try {
      logs.drain(leaving.get() ? budget.close() : LOG_PATIENCE_AT_END);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    logs.close();
    orchestratorChannel.shutdown();
    storeChannel.shutdownNow();
    try {
      producer.close(budget.close());
      heartbeats.close();
      announcements.close();
      if (!orchestratorChannel.awaitTermination(
          budget.channel().toMillis(), TimeUnit.MILLISECONDS)) {
        orchestratorChannel.shutdownNow();
      }
    } catch (InterruptedException e) {
      orchestratorChannel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void stopAll(StopReason reason, Duration patience) {
    List<Carried> all = List.copyOf(runs.values());
    all.forEach(carried -> carried.task().stop(reason));
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(
            all.stream().map(Carried::gone).toArray(CompletableFuture<?>[]::new));
    try {
      ended.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warnf("shutdown: not all runs have stopped; continuing: %s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Connects to Kafka. A warm runner attaches only after it has loaded everything that a run needs.
   */
  private void connect() {
    if (config.mode() != Mode.WARM) {
      connectKafka();
      return;
    }
    storeChannel.getState(true);
    connectKafka();
    try {
      warmup.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    ready.thenRun(gateway::open);
  }

  /** Fetches the metadata of the trace topic before the first append needs it. */
  private void connectKafka() {
    try {
      producer.partitionsFor(TopicName.TRACE);
      watchProducer();
    } catch (RuntimeException e) {
      LOG.errorf(
          "no topic %s at %s: %s. Services create the topics when they start.",
          TopicName.TRACE, config.kafkaBootstrapServers(), e.getMessage());
      exit.complete(RunnerExitCode.UNAVAILABLE);
    }
  }

  private synchronized void watchProducer() {
    if (!closed) {
      vital =
          VitalThreadWatcher.start(
              "kafka-producer-network-thread | " + config.runnerId(),
              () -> {
                LOG.fatal(
                    "Kafka producer: its network thread has died; no event can be written, exiting");
                exit.complete(RunnerExitCode.JOURNAL);
              },
              List.of(
                  new VitalThreadWatcher.StallCheck(
                      "the heartbeat thread", heartbeats.work()::isStalled),
                  new VitalThreadWatcher.StallCheck(
                      "the virtual threads", new CarrierStallDetector()::isStalled)),
              RunnerHalter::halt);
    }
  }

  private Hello hello() {
    Hello.Builder hello =
        Hello.newBuilder()
            .setRunnerId(config.runnerId())
            .setPid(ProcessHandle.current().pid())
            .setHost(HostNameReader.get())
            .setSlots(config.slots())
            .setLauncher(config.placement().launcher())
            .setPool(config.placement().pool())
            .putAllLabels(config.placement().labels())
            .setMode(mode().word());
    for (Carried carried : runs.values()) {
      hello.addHeld(GatewayMessageMapper.held(carried.task().assignment()));
    }
    if (!assigned.isDone()) {
      config
          .carries()
          .ifPresent(
              carried ->
                  hello.addHeld(
                      Held.newBuilder()
                          .setRun(carried.run())
                          .setEpoch(carried.epoch())
                          .setLease(carried.lease())));
    }
    return hello.build();
  }

  /** Returns the mode to report: a warm runner that has received a run is isolated from then on. */
  private Mode mode() {
    return config.mode() == Mode.WARM && assigned.isDone() ? Mode.ISOLATED : config.mode();
  }

  /** Handles messages in order, once all components are created. */
  private void receive(GatewayMessage message) {
    synchronized (order) {
      handled =
          handled
              .thenRun(() -> handle(message))
              .exceptionally(
                  failed -> {
                    LOG.error("orchestrator message: handling failed; message ignored", failed);
                    return null;
                  });
    }
  }

  private void handle(GatewayMessage message) {
    switch (message.getMessageCase()) {
      case ASSIGN -> {
        try {
          assign(
              GatewayMessageMapper.assignment(message.getAssign()),
              GatewayMessageMapper.stop(message.getAssign()));
        } catch (RuntimeException | Error e) {
          refuse(message.getAssign().getRun(), message.getAssign().getEpoch(), e);
        }
      }
      case ANSWER -> answer(message.getAnswer());
      case CANCEL -> stop(message.getCancel().getRun(), StopReason.CANCELLED);
      case PAUSE -> pause(message.getPause());
      case FENCED -> fenced(message.getFenced());
      case CONFIRMED -> confirmed(message.getConfirmed());
      case HAND_OVER -> handOver(message.getHandOver());
      case CHECKPOINT -> checkpoint(message.getCheckpoint());
      case OPEN_TERMINAL ->
          TerminalRequestHandler.handle(
              message.getOpenTerminal(), services, gateway, runs, Carried::task);
      case MESSAGE_NOT_SET ->
          LOG.warn("orchestrator message: kind unknown to this version; message ignored");
    }
  }

  /**
   * @param stop why the run must end before its first step; empty to execute it
   */
  private void assign(RunAssignment assignment, Optional<StopReason> stop) {
    Carried held = runs.get(assignment.run());
    if (held != null && held.task().assignment().epoch() >= assignment.epoch()) {
      assignment.answers().forEach(held.task()::answer);
      // A late assignment must not pause a later epoch; a cancellation ends all epochs.
      stop.filter(
              reason ->
                  reason == StopReason.CANCELLED
                      || held.task().assignment().epoch() == assignment.epoch())
          .ifPresent(held.task()::stop);
      return;
    }
    if (held == null && endedRuns.releaseAgain(assignment, gateway)) {
      return;
    }
    if (held == null && config.mode() == Mode.WARM && assigned.isDone()) {
      LOG.warnf("run %s: released, since this warm runner has already had a run", assignment.run());
      gateway.release(assignment.run(), assignment.epoch(), RunTaskOutcome.SHUTDOWN.word());
      return;
    }
    if (held != null) {
      held.task().stop(StopReason.FENCED);
    }
    RunTask task = new RunTask(assignment, services);
    stop.ifPresent(task::stop);
    CompletableFuture<Void> gone = task.ended().thenAccept(outcome -> ended(task, outcome));
    runs.put(assignment.run(), new Carried(task, gone, new CompletableFuture<>()));
    assigned.complete(null);
    // The older epoch's steps must have ended first: both epochs use the same folder.
    CompletableFuture<Void> before =
        held == null
            ? CompletableFuture.completedFuture(null)
            : held.gone().exceptionally(failed -> null);
    Thread.ofVirtual()
        .name("run-" + assignment.run())
        .start(
            () -> {
              before.join();
              task.run();
            });
  }

  /**
   * Releases a run whose assignment cannot be read; otherwise the orchestrator would assume that
   * this runner executes it.
   */
  private void refuse(String run, int epoch, Throwable why) {
    LOG.errorf(why, "run %s, epoch %d: the assignment cannot be read; released", run, epoch);
    if (config.mode() == Mode.SHARED) {
      gateway.release(run, epoch, RunTaskOutcome.BROKEN.word());
    } else {
      exit.complete(RunnerExitCode.INTERNAL);
    }
  }

  private void ended(RunTask task, RunTaskOutcome outcome) {
    RunAssignment assignment = task.assignment();
    endedRuns.add(assignment.run(), assignment.epoch(), outcome);
    runs.computeIfPresent(
        assignment.run(), (run, carried) -> carried.task() == task ? null : carried);
    // While the runner closes, the end of the process reports it.
    boolean others = config.mode() == Mode.SHARED && !closing && !task.isJournalBroken();
    if (outcome.isReleased() || others) {
      gateway.release(assignment.run(), assignment.epoch(), outcome.word());
    }
    if (outcome == RunTaskOutcome.BROKEN && task.isJournalBroken()) {
      exit.complete(RunnerExitCode.JOURNAL);
    } else if (config.mode() != Mode.SHARED) {
      exit.complete(
          switch (outcome) {
            case COMPLETED, FAILED, CANCELLED, PAUSED, PARKED, FENCED -> RunnerExitCode.DONE;
            case SHUTDOWN -> RunnerExitCode.TERMINATED;
            case BROKEN -> RunnerExitCode.INTERNAL;
            case UNAVAILABLE -> RunnerExitCode.UNAVAILABLE;
          });
    }
  }

  private void answer(Answer answer) {
    Carried carried = runs.get(answer.getRun());
    if (carried != null) {
      carried.task().answer(answer.getApproval(), GatewayMessageMapper.answer(answer));
    }
  }

  private void checkpoint(Checkpoint asked) {
    Carried carried = runs.get(asked.getRun());
    if (carried == null) {
      gateway.checkpointFailed(
          asked.getRun(), asked.getRequestId(), "this runner does not carry the run");
      return;
    }
    CheckpointTrigger trigger;
    try {
      trigger = CheckpointTrigger.of(asked.getTrigger());
    } catch (IllegalArgumentException e) {
      gateway.checkpointFailed(
          asked.getRun(), asked.getRequestId(), String.valueOf(e.getMessage()));
      return;
    }
    // A checkpoint takes arbitrarily long, and answers must not wait for it.
    Thread.ofVirtual()
        .name("checkpoint-" + asked.getRequestId())
        .start(
            () ->
                carried
                    .task()
                    .checkpoint(trigger, asked.getRequestId())
                    .ifPresent(
                        reason ->
                            gateway.checkpointFailed(
                                asked.getRun(), asked.getRequestId(), reason)));
  }

  private void handOver(HandOver ready) {
    Carried carried = runs.get(ready.getRun());
    if (carried != null && carried.task().assignment().epoch() == ready.getEpoch()) {
      carried.task().stop(ready.getAtOnce() ? StopReason.SHUTDOWN : StopReason.LEAVING);
      carried.handOver().complete(null);
    }
  }

  private void stop(String run, StopReason reason) {
    Carried carried = runs.get(run);
    if (carried != null) {
      carried.task().stop(reason);
    }
  }

  /** A pause of another epoch is late: the run was resumed since. Epoch 0 is any epoch. */
  private void pause(Pause pause) {
    Carried carried = runs.get(pause.getRun());
    if (carried == null
        || pause.getEpoch() != 0 && pause.getEpoch() != carried.task().assignment().epoch()) {
      LOG.debugf("run %s: pause of epoch %d ignored", pause.getRun(), pause.getEpoch());
      return;
    }
    carried.task().stop(pause.getNow() ? StopReason.PAUSED_NOW : StopReason.PAUSED);
  }

  private void confirmed(Confirmed confirmed) {
    Carried carried = runs.get(confirmed.getRun());
    if (carried != null && carried.task().assignment().epoch() == confirmed.getEpoch()) {
      // Resuming processes takes a while.
      Thread.ofVirtual()
          .name("confirmed-" + confirmed.getRun())
          .start(() -> carried.task().confirmed(confirmed.getSuspension()));
    }
  }

  /** A fence of an older epoch is late; one of a newer epoch fences all before it. */
  private void fenced(Fenced fenced) {
    Carried carried = runs.get(fenced.getRun());
    if (carried == null) {
      // An isolated runner whose run was taken over before it was assigned.
      config
          .carries()
          .filter(it -> it.run().equals(fenced.getRun()) && it.epoch() <= fenced.getEpoch())
          .ifPresent(it -> exit.complete(RunnerExitCode.DONE));
    } else if (carried.task().assignment().epoch() <= fenced.getEpoch()) {
      carried.task().stop(StopReason.FENCED);
    }
  }
}
