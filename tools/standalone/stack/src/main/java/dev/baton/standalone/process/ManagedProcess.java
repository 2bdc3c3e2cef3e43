/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import dev.baton.process.ProcessIdentity;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Supervises a process: starts it, awaits its readiness, restarts it when it exits unexpectedly,
 * and stops it.
 *
 * <pre>
 *            start                    ready
 *   idle ───────────► starting ──────────────────► ready
 *    ▲                   ▲   │ not in time            │ dies
 *    │ stop, kill        │   ▼                        ▼
 *    └──────────────── waiting (backoff) ◄────────────┘   autoRestart, else idle
 * </pre>
 *
 * <p>Thread-safe. Starts exclude one another; {@link #stop} and {@link #kill} interrupt a start.
 */
public final class ManagedProcess {

  private static final Duration KILLED_WITHIN = Duration.ofSeconds(10);
  private static final Duration LOG_CHECK = Duration.ofSeconds(10);
  private static final Duration READY_CHECK = Duration.ofMillis(20);

  private final ProcessSpec spec;
  private final LogFile log;
  private final RestartBackoff backoff;
  private final Consumer<ProcessEvent> events;
  private final boolean autoRestart;

  private final ReentrantLock starting = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean wanted;
  private boolean retired;
  private boolean ready;
  private int restarts;
  private int failures;
  private @Nullable Process process;
  private @Nullable ProcessIdentity id;

  /**
   * Does not start the process yet; {@code events} is called from several threads, never under a
   * lock of this class.
   */
  public ManagedProcess(
      ProcessSpec spec,
      boolean autoRestart,
      RestartBackoff backoff,
      Consumer<ProcessEvent> events) {
    this.spec = spec;
    this.log = new LogFile(spec.log());
    this.autoRestart = autoRestart;
    this.backoff = backoff;
    this.events = events;
  }

  /** The specification of the process. */
  public ProcessSpec spec() {
    return spec;
  }

  /** The process's id, while it is alive. */
  public Optional<ProcessIdentity> id() {
    return locked(() -> Optional.ofNullable(id).filter(ProcessIdentity::isAlive));
  }

  /** Whether it is alive and has become ready. */
  public boolean isReady() {
    return locked(() -> ready);
  }

  /** Number of restarts after unexpected exits. */
  public int restarts() {
    return locked(() -> restarts);
  }

  /**
   * Starts the process and waits until it is ready. Does nothing when it is running.
   *
   * @throws ProcessStartException when it ends or is not ready within its bound, or was retired; it
   *     is then not running
   */
  public void start() throws IOException, InterruptedException {
    boolean allowed =
        locked(
            () -> {
              wanted = !retired;
              failures = 0;
              return wanted;
            });
    if (!allowed) {
      throw new ProcessStartException(spec.name() + " is retired");
    }
    launch(false);
  }

  /**
   * Signals it to stop, kills it if it does not stop within its bound, and waits until it is gone.
   */
  public void stop() throws IOException, InterruptedException {
    Process running = unwanted();
    if (running != null) {
      spec.stopSignal().send(running.pid());
      if (!running.waitFor(spec.stopWithin())) {
        running.destroyForcibly();
        if (!running.waitFor(KILLED_WITHIN)) {
          throw new IOException(spec.name() + " (pid " + running.pid() + ") survived SIGKILL");
        }
      }
      events.accept(new ProcessEvent.Stopped(spec.name()));
    }
  }

  /** Stops it permanently, like {@link #stop}: later starts have no effect. */
  public void retire() throws IOException, InterruptedException {
    locked(() -> retired = true);
    stop();
  }

  /**
   * Kills it with SIGKILL, like a crash, and waits until it is gone. It is restarted only if
   * automatic restarts are on.
   *
   * @throws IllegalStateException when it is not running
   */
  public void kill() throws InterruptedException {
    Process running =
        locked(
            () -> {
              wanted = autoRestart;
              ready = false;
              return process;
            });
    if (running == null || !running.isAlive()) {
      throw new IllegalStateException(spec.name() + " is not running");
    }
    running.destroyForcibly();
    if (!running.waitFor(KILLED_WITHIN)) {
      throw new IllegalStateException(spec.name() + " survived SIGKILL");
    }
  }

  /**
   * Waits until the process is ready.
   *
   * @return false when it is not within {@code bound}
   */
  public boolean awaitReady(Duration bound) throws InterruptedException {
    lock.lock();
    try {
      long left = bound.toNanos();
      while (!ready && left > 0) {
        left = changed.awaitNanos(left);
      }
      return ready;
    } finally {
      lock.unlock();
    }
  }

  private void launch(boolean again) throws IOException, InterruptedException {
    starting.lockInterruptibly();
    try {
      if (isReady()) {
        return;
      }
      long began = System.nanoTime();
      long from = log.begin();
      Process started = spawn();
      awaitReadiness(started, from);
      int count = markReady(started, again);
      events.accept(
          new ProcessEvent.Ready(spec.name(), Duration.ofNanos(System.nanoTime() - began), count));
      Thread.ofVirtual().name(spec.name() + "-watch").start(() -> watch(started, began));
    } finally {
      starting.unlock();
    }
  }

  private Process spawn() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(DetachedCommandFactory.command(spec.command().prepare()));
    builder.environment().putAll(spec.environment());
    builder.directory(spec.directory().toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(spec.log().toFile()));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Process started = register(builder);
    ProcessIdentity.of(started.pid())
        .ifPresent(now -> events.accept(new ProcessEvent.Started(spec.name(), now)));
    return started;
  }

  private Process register(ProcessBuilder builder) throws IOException {
    lock.lock();
    try {
      if (!wanted) {
        throw new ProcessStartException(spec.name() + " was stopped before it was started");
      }
      Process started = builder.start();
      process = started;
      id = ProcessIdentity.of(started.pid()).orElse(null);
      return started;
    } finally {
      lock.unlock();
    }
  }

  private void awaitReadiness(Process started, long from) throws IOException, InterruptedException {
    long end = System.nanoTime() + spec.readyWithin().toNanos();
    BooleanSupplier ready = spec.readiness().probe(spec.log(), from);
    while (!ready.getAsBoolean()) {
      if (started.waitFor(READY_CHECK)) {
        throw new ProcessStartException(
            "%s ended with code %d before it was ready".formatted(spec.name(), started.exitValue()),
            spec.log(),
            log.tail(from));
      }
      if (System.nanoTime() > end) {
        started.destroyForcibly().waitFor();
        throw new ProcessStartException(
            "%s was not ready after %d s".formatted(spec.name(), spec.readyWithin().toSeconds()),
            spec.log(),
            log.tail(from));
      }
    }
  }

  private int markReady(Process started, boolean again) throws ProcessStartException {
    lock.lock();
    try {
      if (!wanted || process != started) {
        throw new ProcessStartException(spec.name() + " was stopped while it was starting");
      }
      ready = true;
      restarts += again ? 1 : 0;
      changed.signalAll();
      return restarts;
    } finally {
      lock.unlock();
    }
  }

  private void watch(Process watched, long began) {
    try {
      while (!watched.waitFor(LOG_CHECK)) {
        boundLog();
      }
      int code = watched.exitValue();
      if (!diedUnasked(watched, began)) {
        return;
      }
      events.accept(new ProcessEvent.Died(spec.name(), code));
      revive();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void boundLog() {
    try {
      log.bound();
    } catch (IOException e) {
      events.accept(new ProcessEvent.LogLost(spec.name(), String.valueOf(e.getMessage())));
    }
  }

  private boolean diedUnasked(Process watched, long began) {
    return locked(
        () -> {
          if (process != watched) {
            return false;
          }
          ready = false;
          if (System.nanoTime() - began > backoff.stableAfter().toNanos()) {
            failures = 0;
          }
          changed.signalAll();
          return wanted;
        });
  }

  private void revive() throws InterruptedException {
    for (int attempt = nextAttempt(); attempt > 0; attempt = nextAttempt()) {
      if (attempt == backoff.attempts() + 1) {
        events.accept(new ProcessEvent.KeepsFailing(spec.name(), attempt - 1, backoff.rest()));
      }
      if (!awaitTurn(attempt)) {
        return;
      }
      try {
        launch(true);
        return;
      } catch (IOException e) {
        events.accept(new ProcessEvent.RestartFailed(spec.name(), attempt, reason(e, attempt)));
      }
    }
  }

  /**
   * Returns the reason, without the end of the log after many attempts: the retries may continue
   * without end.
   */
  private String reason(IOException failure, int attempt) {
    return attempt > backoff.attempts() && failure instanceof ProcessStartException known
        ? known.brief()
        : String.valueOf(failure.getMessage());
  }

  /**
   * Returns the number of the attempt since its last stable phase, from 1; 0 when it is not to be
   * restarted.
   */
  private int nextAttempt() {
    return locked(() -> wanted && autoRestart ? ++failures : 0);
  }

  /** Waits for the attempt's time; false when it is no longer wanted. */
  private boolean awaitTurn(int attempt) throws InterruptedException {
    lock.lock();
    try {
      long left = backoff.before(attempt).toNanos();
      while (wanted && left > 0) {
        left = changed.awaitNanos(left);
      }
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Process unwanted() {
    lock.lock();
    try {
      wanted = false;
      ready = false;
      changed.signalAll();
      Process running = process;
      return running != null && running.isAlive() ? running : null;
    } finally {
      lock.unlock();
    }
  }

  private <T extends @Nullable Object> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
