/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.GatewayMessage;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A runner's open stream. Thread-safe. */
public final class Attached {
  private final String runner;
  private final long pid;
  private final int slots;
  private final Consumer<GatewayMessage> out;
  private final Runnable end;
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private boolean closed;
  private final AtomicInteger taken = new AtomicInteger();

  /**
   * @param out puts a message on its stream
   * @param end ends its stream
   */
  Attached(String runner, long pid, int slots, Consumer<GatewayMessage> out, Runnable end) {
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
   * Attachments}.
   */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  Map<String, Integer> runs() {
    return runs;
  }
}
