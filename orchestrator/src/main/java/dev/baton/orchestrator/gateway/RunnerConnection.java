/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Ping;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A runner's open stream. Thread-safe. */
public final class RunnerConnection {
  /** Which runs it is for. */
  public enum Mode {
    /** Many light ones. */
    SHARED,
    /** Any one, and then none. */
    WARM,
    /** The one that it names. */
    ISOLATED;

    /** Empty when there is no such mode. */
    static Optional<Mode> of(String word) {
      return switch (word) {
        case "", "shared" -> Optional.of(SHARED);
        case "warm" -> Optional.of(WARM);
        case "isolated" -> Optional.of(ISOLATED);
        default -> Optional.empty();
      };
    }
  }

  private final String runner;
  private final long pid;
  private final Mode mode;
  private final int slots;
  private final Consumer<GatewayMessage> out;
  private final Runnable end;
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private final boolean answersPings;
  private boolean closed;
  private volatile @Nullable String leaving;
  private volatile boolean doubted;
  private volatile long heardNanos = System.nanoTime();
  private final AtomicInteger taken = new AtomicInteger();

  /**
   * @param answersPings it says that it does: one that does not answer then is gone
   * @param out puts a message on its stream
   * @param end ends its stream
   */
  RunnerConnection(
      String runner,
      long pid,
      Mode mode,
      int slots,
      boolean answersPings,
      Consumer<GatewayMessage> out,
      Runnable end) {
    this.mode = mode;
    this.answersPings = answersPings;
    this.end = end;
    this.runner = runner;
    this.pid = pid;
    this.slots = slots;
    this.out = out;
  }

  void end() {
    end.run();
  }

  public String runner() {
    return runner;
  }

  public Mode mode() {
    return mode;
  }

  /** It ends soon, and says why. */
  void leave(String reason) {
    leaving = reason;
  }

  /** Why it ends soon; null while it does not. */
  @Nullable String leaving() {
    return leaving;
  }

  public long pid() {
    return pid;
  }

  /**
   * Never blocks; a stream that has closed meanwhile drops it, and the next attach makes up for it.
   */
  public void send(GatewayMessage message) {
    out.accept(message);
  }

  int free() {
    return slots - taken.get();
  }

  /** Whether it is there, as far as is known, will stay, and has room. */
  boolean hasRoom() {
    return !doubted && leaving == null && free() > 0;
  }

  void ping() {
    if (answersPings) {
      send(GatewayMessage.newBuilder().setPing(Ping.getDefaultInstance()).build());
    }
  }

  /** One of its runs was lost by silence: it gets no other before it has answered a ping. */
  void doubt() {
    if (answersPings) {
      doubted = true;
      ping();
    }
  }

  /** It has said something: whether it was doubted. */
  boolean heard() {
    heardNanos = System.nanoTime();
    boolean was = doubted;
    doubted = false;
    return was;
  }

  /** Whether it should have answered by now and has not. */
  boolean isSilentFor(Duration patience) {
    return answersPings && System.nanoTime() - heardNanos > patience.toNanos();
  }

  boolean tryTake() {
    while (true) {
      int now = taken.get();
      if (now >= slots) {
        return false;
      }
      if (taken.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  /** Whether it had none: judged by the step that frees one, for others take theirs meanwhile. */
  boolean giveBack() {
    return taken.getAndDecrement() >= slots;
  }

  /**
   * It carries this run now; the slot was taken before. Whether it carried it already, on a slot
   * that is now to be given back.
   */
  boolean hold(String run, int epoch) {
    return runs.put(run, epoch) != null;
  }

  /** It carries this run, whether there was a slot or not. */
  void adopt(String run, int epoch) {
    if (runs.put(run, epoch) == null) {
      taken.incrementAndGet();
    }
  }

  /** It carries it no more: whether it did, on a slot that is now to be given back. */
  boolean drop(String run, int epoch) {
    return runs.remove(run, epoch);
  }

  /**
   * Its stream has ended; from then on nothing is given to it. Under the lock of {@link
   * RunnerRegistry}.
   */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** What it carries: the epoch by run. A view that changes with it. */
  public Map<String, Integer> runs() {
    return runs;
  }
}
