/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.engine.ParallelStepExecutor.Branch;
import dev.baton.runner.outputs.OutputUnavailableException;
import dev.baton.runner.steps.Deadline;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Executes branches on virtual threads with limited concurrency, until enough of them have
 * completed, or too many have failed; then stops the others. For one use.
 */
final class BranchExecutor {
  /** Result of the branches. */
  sealed interface Result {
    /** The required number of branches has completed, possibly more. */
    record Enough() implements Result {}

    record TooManyFailed(Branch branch, BranchFailedException failure) implements Result {}

    record TimedOut() implements Result {}
  }

  private final RunExecutionContext run;
  private final int max;
  private final int wanted;
  private final Semaphore permits;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Result> early = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();

  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  /**
   * @param max concurrent branches
   * @param wanted how many must complete, at most the number of branches
   */
  BranchExecutor(RunExecutionContext run, int max, int wanted) {
    this.run = run;
    this.max = max;
    this.wanted = wanted;
    this.permits = new Semaphore(max);
  }

  /**
   * Executes the branches. Returns when none of them runs any more.
   *
   * @throws InterruptedException when the run is stopped
   */
  Result run(List<Branch> branches, Deadline deadline) throws InterruptedException {
    int mayFail = branches.size() - wanted;
    try {
      for (Branch branch : branches) {
        if (branch.hasEnded()) {
          countEnded();
        }
      }
      for (Branch branch : branches) {
        if (branch.hasEnded()) {
          continue;
        }
        if (!acquire(1, deadline)) {
          break;
        }
        run.parking().enter();
        threads.add(Thread.ofVirtual().name(branch.name).start(() -> walk(branch, mayFail)));
      }
      if (early.get() == null) {
        acquire(max, deadline);
      }
    } finally {
      end();
    }
    switch (broken.get()) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable impossible -> throw new IllegalStateException(impossible);
    }
    run.control().check();
    Result result = early.get();
    return result == null ? new Result.Enough() : result;
  }

  /** Returns false when the branches must stop. */
  private boolean acquire(int count, Deadline deadline) throws InterruptedException {
    long left = deadline.leftOrForever().toNanos();
    run.parking().leave(); // Its branches wait, or work.
    try {
      if (!permits.tryAcquire(count, left, TimeUnit.NANOSECONDS)) {
        early.compareAndSet(null, new Result.TimedOut());
      }
    } finally {
      run.parking().enter();
    }
    return early.get() == null && broken.get() == null;
  }

  private void countEnded() {
    if (ended.incrementAndGet() == wanted) {
      early.compareAndSet(null, new Result.Enough());
    }
  }

  private void walk(Branch branch, int mayFail) {
    try {
      run.control().enter();
      try {
        branch.ended(branch.line.walk());
        countEnded();
      } finally {
        run.control().leave();
      }
    } catch (BranchFailedException e) {
      if (failed.incrementAndGet() > mayFail) {
        early.compareAndSet(null, new Result.TooManyFailed(branch, e));
      }
    } catch (InterruptedException stopped) {
      // Interrupted by the stop of the run, which the caller sees, or because another branch
      // failed, which is the result.
      Thread.interrupted();
    } catch (OutputUnavailableException e) {
      if (e.isInterruption()) {
        Thread.interrupted(); // As above, inside an expression.
      } else {
        broken.compareAndSet(null, e);
      }
    } catch (RuntimeException | Error e) {
      broken.compareAndSet(null, e);
    } finally {
      // A broken branch stays registered, so that the others do not park the run while it ends or
      // starts again from an earlier state.
      if (broken.get() == null) {
        run.parking().leave();
      }
      if (early.get() != null || broken.get() != null) {
        // Wakes the caller, regardless of the number of permits that it waits for.
        permits.release(max);
      }
      permits.release();
    }
  }

  /** Stops all branches, regardless of how the caller returns. */
  private void end() {
    if (!run.control().isInterrupting()) {
      threads.forEach(Thread::interrupt);
    }
    ThreadJoiner.join(threads);
  }
}
