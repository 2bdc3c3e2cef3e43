/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Ping;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A runner's open stream. Thread-safe. */
public final class RunnerConnection {
  /** The runs that a runner serves. */
  @Schema(name = "RunnerMode")
  public enum Mode {
    /** Many light runs. */
    SHARED,
    /** One run of any kind, then exits. */
    WARM,
    /** The one run that it was started for. */
    ISOLATED;

    /** Returns the word in messages, in the database and in the environment of a runner. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns empty when the mode is unknown. */
    public static Optional<Mode> of(String word) {
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
  private final RunnerProperties properties;
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
   * @param answersPings whether the runner answers pings; one that then does not answer is dead
   * @param out sends a message on its stream
   * @param end ends its stream
   */
  RunnerConnection(
      String runner,
      long pid,
      Mode mode,
      int slots,
      RunnerProperties properties,
      boolean answersPings,
      Consumer<GatewayMessage> out,
      Runnable end) {
    this.mode = mode;
    this.properties = properties;
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

  public RunnerProperties properties() {
    return properties;
  }

  /** Whether no launcher has started it. */
  public boolean isExternal() {
    return properties.launcher().isEmpty();
  }

  /** Marks that the runner will end soon, with its reason. */
  void leave(String reason) {
    leaving = reason;
  }

  /** Why the runner will end soon; null when it will not. */
  @Nullable String leaving() {
    return leaving;
  }

  public long pid() {
    return pid;
  }

  /**
   * Sends a message without blocking. A closed stream drops it, and the next attach sends it again.
   */
  public void send(GatewayMessage message) {
    out.accept(message);
  }

  int free() {
    return slots - taken.get();
  }

  /** Whether it can take a run: not suspected dead, not leaving, and with a free slot. */
  boolean hasRoom() {
    return !doubted && leaving == null && free() > 0;
  }

  void ping() {
    if (answersPings) {
      send(GatewayMessage.newBuilder().setPing(Ping.getDefaultInstance()).build());
    }
  }

  /**
   * Suspects the runner after one of its runs was lost by silence: it gets no new run before it
   * answers a ping.
   */
  void doubt() {
    if (answersPings) {
      doubted = true;
      ping();
    }
  }

  /** Records a message from the runner; returns whether the runner was suspected. */
  boolean heard() {
    heardNanos = System.nanoTime();
    boolean was = doubted;
    doubted = false;
    return was;
  }

  /** Whether it has not answered in time. */
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

  /**
   * Returns whether it had no free slot before; decided atomically, since other threads take slots
   * meanwhile.
   */
  boolean giveBack() {
    return taken.getAndDecrement() >= slots;
  }

  /**
   * Adds a run on a slot that was taken before. Returns whether the runner carried it already, on a
   * slot that must now be given back.
   */
  boolean hold(String run, int epoch) {
    return runs.put(run, epoch) != null;
  }

  /** Adds a run that the runner carries, even without a free slot. */
  void adopt(String run, int epoch) {
    if (runs.put(run, epoch) == null) {
      taken.incrementAndGet();
    }
  }

  /**
   * Removes a run; returns whether the runner carried it, on a slot that must now be given back.
   */
  boolean drop(String run, int epoch) {
    return runs.remove(run, epoch);
  }

  /**
   * Marks the stream as ended; from then on no run is assigned to it. Requires the lock of {@link
   * RunnerRegistry}.
   */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** The runs it carries, with their epochs. A live view. */
  public Map<String, Integer> runs() {
    return runs;
  }
}
