/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.chaos.fault.NetworkNamespace.Direction;
import dev.baton.chaos.history.FaultRecord;
import dev.baton.process.ProcessIdentity;
import dev.baton.process.ProcessSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Executes a schedule of faults. Each fault runs on its own thread, so that a long one does not
 * delay others; a server is hit by one fault at a time. Thread-safe.
 */
public final class FaultInjector {
  private static final Duration BACK_WITHIN = Duration.ofMinutes(3);
  private static final int LONGEST_DELAY_MS = 400;

  /** Far more than exist at the same time. */
  private static final int MOST_PARTITIONS = 900;

  /** Longer than a service waits for its clock to recover. */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(15);

  /** Shorter and longer than a heartbeat timeout, a lease, a day. */
  private static final List<Long> JUMPS_MS =
      List.of(1_500L, 20_000L, 600_000L, 2L * 3_600_000, 30L * 24 * 3_600_000);

  private final Map<FaultableServer, ReentrantLock> servers = new LinkedHashMap<>();
  private final RunnerProcessFinder runners;
  private final ProxiedLinks ways;
  private final TcpProxy broker;
  private final ClockSkewInjector clocks;
  private final SpoolDisk spool;
  private final NetworkNamespace network;
  private final AtomicInteger partitions = new AtomicInteger();
  private final TraceRecordResender resender;
  private final TopicGrowthInjector topics;
  private final CheckpointDamager checkpoints;
  private final LongSupplier clock;
  private final Consumer<String> progress;
  private final Set<ProcessIdentity> stopped = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<FaultRecord> done = new ConcurrentLinkedQueue<>();

  /**
   * @param data the stack's folder
   * @param servers all servers to hit and to heal
   * @param clock milliseconds since the start of the history
   */
  public FaultInjector(
      Path data,
      List<FaultableServer> servers,
      FaultTargets surroundings,
      TraceRecordResender resender,
      TopicGrowthInjector topics,
      CheckpointDamager checkpoints,
      LongSupplier clock,
      Consumer<String> progress) {
    this.runners = new RunnerProcessFinder(data);
    this.ways = surroundings.ways();
    this.broker = surroundings.ways().get(surroundings.broker());
    this.clocks = surroundings.clocks();
    this.spool = surroundings.spool();
    this.network = surroundings.network();
    this.resender = resender;
    this.topics = topics;
    this.checkpoints = checkpoints;
    this.clock = clock;
    this.progress = progress;
    for (FaultableServer server : servers) {
      this.servers.put(server, new ReentrantLock());
    }
  }

  /** Returns the faults injected so far. */
  public List<FaultRecord> done() {
    return List.copyOf(done);
  }

  /** Returns when all faults were injected, and those that end by themselves have ended. */
  public void run(List<PlannedFault> schedule) throws InterruptedException {
    long began = clock.getAsLong();
    List<Thread> threads = new ArrayList<>();
    for (PlannedFault fault : schedule) {
      long wait = began + fault.atMs() - clock.getAsLong();
      if (wait > 0) {
        TimeUnit.MILLISECONDS.sleep(wait);
      }
      threads.add(Thread.ofVirtual().name("fault-" + fault.number()).start(() -> carryOut(fault)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Heals all faults: resumes stopped processes, opens all links, and restarts missing servers. */
  public void heal() throws IOException, InterruptedException {
    ways.heal();
    clocks.heal();
    spool.free();
    for (ProcessIdentity process : stopped) {
      signal(process, ProcessSignal.CONT);
    }
    stopped.clear();
    for (FaultableServer server : servers.keySet()) {
      if (server.process().isEmpty()) {
        server.restart();
      }
      if (!server.awaitReady(BACK_WITHIN)) {
        throw new IOException(server.name() + " is not ready although no fault affects it");
      }
    }
  }

  /** Result of one fault: the target, and details. */
  private record Hit(String target, boolean done, String detail) {
    static Hit nothing(String why) {
      return new Hit("", false, why);
    }
  }

  private void carryOut(PlannedFault fault) {
    long begin = clock.getAsLong();
    Hit hit;
    try {
      hit = hit(fault);
    } catch (IOException | RuntimeException e) {
      hit = new Hit("", false, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      hit = Hit.nothing("interrupted");
    }
    FaultRecord record =
        new FaultRecord(
            fault.number(),
            fault.kind().name(),
            hit.target(),
            begin,
            clock.getAsLong(),
            hit.done(),
            hit.detail());
    done.add(record);
    progress.accept(
        "%6.1f s  fault %d %s %s%s"
            .formatted(
                begin / 1000.0,
                fault.number(),
                fault.kind(),
                hit.target(),
                hit.done() ? " " + hit.detail() : " not done: " + hit.detail()));
  }

  private Hit hit(PlannedFault fault) throws IOException, InterruptedException {
    return switch (fault.kind()) {
      case KILL_RUNNER -> killRunner(fault, false);
      case KILL_RUNNER_TREE -> killRunner(fault, true);
      case STOP_RUNNER -> stopRunner(fault);
      case RESEND -> resend(fault);
      case GROW_TOPICS -> growTopics(fault);
      case DAMAGE_CHECKPOINT -> damageCheckpoint(fault);
      case DELAY -> delay(fault);
      case CUT -> cut(fault);
      case PARTITION -> partition(fault);
      case DROP -> drop(fault);
      case CLOCK_JUMP -> jump(fault);
      case FULL_SPOOL -> fillSpool(fault);
      case KILL_ORCHESTRATOR, KILL_STORE, KILL_KAFKA, KILL_POSTGRES, KILL_S3 ->
          alone(fault, server -> kill(server, fault.durationMs()));
      case STOP_ORCHESTRATOR, STOP_KAFKA ->
          alone(fault, server -> stop(server, fault.durationMs()));
    };
  }

  private Optional<ProcessIdentity> runner(PlannedFault fault) throws IOException {
    List<ProcessIdentity> living = runners.living();
    return living.isEmpty()
        ? Optional.empty()
        : Optional.of(living.get(fault.choice() % living.size()));
  }

  private Hit killRunner(PlannedFault fault, boolean whole) throws IOException {
    Optional<ProcessIdentity> runner = runner(fault);
    Optional<ProcessHandle> handle = runner.flatMap(ProcessIdentity::handle);
    if (handle.isEmpty()) {
      return Hit.nothing("no live runner");
    }
    List<ProcessHandle> started = whole ? handle.get().descendants().toList() : List.of();
    boolean killed = handle.get().destroyForcibly();
    started.forEach(ProcessHandle::destroyForcibly);
    return new Hit("runner " + handle.get().pid(), killed, "with " + started.size() + " others");
  }

  private Hit stopRunner(PlannedFault fault) throws IOException, InterruptedException {
    Optional<ProcessIdentity> runner = runner(fault);
    if (runner.isEmpty()) {
      return Hit.nothing("no live runner");
    }
    return stopped(runner.get(), "runner " + runner.get().pid(), fault.durationMs());
  }

  private Hit stopped(ProcessIdentity process, String name, int durationMs)
      throws IOException, InterruptedException {
    stopped.add(process);
    try {
      boolean sent = signal(process, ProcessSignal.STOP);
      TimeUnit.MILLISECONDS.sleep(sent ? durationMs : 0);
      return new Hit(name, sent, "for " + durationMs + " ms");
    } finally {
      signal(process, ProcessSignal.CONT);
      stopped.remove(process);
    }
  }

  private static boolean signal(ProcessIdentity process, ProcessSignal signal)
      throws IOException, InterruptedException {
    return process.isAlive() && signal.send(process.pid());
  }

  private Hit growTopics(PlannedFault fault) throws IOException, InterruptedException {
    String grown = topics.grow(new Random(fault.choice()));
    return grown.isEmpty()
        ? Hit.nothing("no topic may grow further")
        : new Hit("topics", true, grown);
  }

  private Hit damageCheckpoint(PlannedFault fault) throws IOException, InterruptedException {
    String damaged = checkpoints.damage(new Random(fault.choice()));
    return damaged.isEmpty()
        ? Hit.nothing("no run under way has a checkpoint of its own")
        : new Hit("object-store", true, damaged);
  }

  private Hit resend(PlannedFault fault) throws IOException, InterruptedException {
    String sent = resender.resend(new Random(fault.choice()));
    return sent.isEmpty() ? Hit.nothing("the log is empty") : new Hit("trace", true, sent);
  }

  private Hit delay(PlannedFault fault) throws InterruptedException {
    String way = ways.choose(fault.choice());
    Duration delay = Duration.ofMillis(5 + fault.choice() % LONGEST_DELAY_MS);
    ways.get(way).delay(delay);
    TimeUnit.MILLISECONDS.sleep(fault.durationMs());
    ways.get(way).delay(Duration.ZERO);
    return new Hit(way, true, "by %d ms for %d ms".formatted(delay.toMillis(), fault.durationMs()));
  }

  private Hit cut(PlannedFault fault) throws InterruptedException {
    String way = ways.choose(fault.choice());
    ways.get(way).cut();
    TimeUnit.MILLISECONDS.sleep(fault.durationMs());
    ways.get(way).heal();
    return new Hit(way, true, "for " + fault.durationMs() + " ms");
  }

  private Hit partition(PlannedFault fault) throws IOException, InterruptedException {
    if (!network.missing().isEmpty()) {
      return Hit.nothing("cannot drop packets: " + network.missing());
    }
    String way = ways.choose(fault.choice());
    Direction[] directions = Direction.values();
    Direction direction = directions[fault.choice() / ways.proxies().size() % directions.length];
    int number = 1 + partitions.getAndIncrement() % MOST_PARTITIONS;
    network.cut(number, ways.get(way).port(), direction);
    try {
      TimeUnit.MILLISECONDS.sleep(fault.durationMs());
    } finally {
      network.heal(number, direction);
    }
    return new Hit(way, true, "%s for %d ms".formatted(direction, fault.durationMs()));
  }

  private Hit drop(PlannedFault fault) throws IOException {
    String way = ways.choose(fault.choice());
    ways.get(way).drop();
    return new Hit(way, true, "");
  }

  private Hit jump(PlannedFault fault) throws IOException, InterruptedException {
    if (!clocks.missing().isEmpty()) {
      return Hit.nothing("cannot set a clock wrong: " + clocks.missing());
    }
    ClockSkewInjector.Clock clock = clocks.choose(fault.choice());
    if (!clock.lock().tryLock()) {
      return Hit.nothing("the clock of " + clock.name() + " is wrong already");
    }
    try {
      Random random = new Random(fault.choice());
      long far = JUMPS_MS.get(random.nextInt(JUMPS_MS.size()));
      long offset = random.nextBoolean() ? far : -far;
      try {
        clock.set(offset);
        TimeUnit.MILLISECONDS.sleep(fault.durationMs());
      } finally {
        clock.right();
      }
      boolean ended = false;
      for (FaultableServer server : servers.keySet()) {
        ended |= server.name().equals(clock.name()) && startAgain(server);
      }
      return new Hit(
          "clock of " + clock.name(),
          true,
          "by %+d ms for %d ms%s"
              .formatted(offset, fault.durationMs(), ended ? "; it exited and was restarted" : ""));
    } finally {
      clock.lock().unlock();
    }
  }

  /**
   * Acts as the supervisor: restarts a service that exits. A service may exit some time after its
   * clock was set back.
   */
  private boolean startAgain(FaultableServer server) throws IOException, InterruptedException {
    Optional<ProcessHandle> process = server.process().flatMap(ProcessIdentity::handle);
    if (process.isPresent() && !endsInTime(process.get())) {
      return false;
    }
    ReentrantLock lock = Objects.requireNonNull(servers.get(server));
    lock.lockInterruptibly();
    try {
      // Another fault that held the lock may have started it.
      boolean gone = server.process().isEmpty();
      if (gone) {
        server.restart();
      }
      return gone;
    } finally {
      lock.unlock();
    }
  }

  private static boolean endsInTime(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private Hit fillSpool(PlannedFault fault) throws IOException, InterruptedException {
    if (!spool.missing().isEmpty()) {
      return Hit.nothing("cannot fill the spools' disk: " + spool.missing());
    }
    if (!spool.lock().tryLock()) {
      return Hit.nothing("it is already full");
    }
    try {
      spool.fill();
      broker.cut();
      TimeUnit.MILLISECONDS.sleep(fault.durationMs());
      return new Hit("spool", true, "for " + fault.durationMs() + " ms without brokers");
    } finally {
      broker.heal();
      spool.free();
      spool.lock().unlock();
    }
  }

  private interface Action {
    Hit on(FaultableServer server) throws IOException, InterruptedException;
  }

  private Hit alone(PlannedFault fault, Action action) throws IOException, InterruptedException {
    List<FaultableServer> those =
        servers.keySet().stream()
            .filter(server -> server.component() == fault.kind().component())
            .toList();
    FaultableServer server = those.get(fault.choice() % those.size());
    ReentrantLock lock = Objects.requireNonNull(servers.get(server));
    if (!lock.tryLock()) {
      return Hit.nothing(server.name() + " has not recovered from the last");
    }
    try {
      return action.on(server);
    } finally {
      lock.unlock();
    }
  }

  private static Hit kill(FaultableServer server, int downMs)
      throws IOException, InterruptedException {
    server.kill();
    TimeUnit.MILLISECONDS.sleep(downMs);
    server.restart();
    return new Hit(server.name(), true, "down for " + downMs + " ms");
  }

  private Hit stop(FaultableServer server, int durationMs)
      throws IOException, InterruptedException {
    Optional<ProcessIdentity> process = server.process();
    return process.isEmpty()
        ? Hit.nothing("it is missing")
        : stopped(process.get(), server.name(), durationMs);
  }
}
