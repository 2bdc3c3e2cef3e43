/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes to a process from a thread of its own: a process that does not read blocks no other
 * thread. At most 1,000 messages wait. Thread-safe.
 */
public final class StdinWriter {
  private static final int MOST_WAITING = 1_000;
  private static final long MOST_WAITING_BYTES = 64L << 20;
  private static final byte[] END = new byte[0];
  private final LinkedBlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
  private final AtomicLong waitingBytes = new AtomicLong();

  /** Starts the thread; it ends with {@link #close}, or when the process closes its input. */
  public StdinWriter(OutputStream out) {
    Thread.ofVirtual().name("agent-stdin").start(() -> write(out));
  }

  /**
   * Sends a message of any size when no other waits; otherwise within the bounds.
   *
   * @return false when too many messages, or bytes, wait
   */
  public boolean send(byte[] message) {
    long before = waitingBytes.getAndAdd(message.length);
    boolean fits = before == 0 || before + message.length <= MOST_WAITING_BYTES;
    if (fits && waiting.offer(message)) {
      return true;
    }
    waitingBytes.addAndGet(-message.length);
    return false;
  }

  /** Closes the process's input when everything before is written. */
  public void close() {
    if (!waiting.offer(END)) {
      waiting.clear();
      waiting.add(END);
    }
  }

  private void write(OutputStream out) {
    try (out) {
      while (true) {
        byte[] message = waiting.take();
        if (message == END) {
          return;
        }
        out.write(message);
        waitingBytes.addAndGet(-message.length);
        if (waiting.isEmpty()) {
          out.flush();
        }
      }
    } catch (IOException e) {
      // The process has ended, or has closed its input; its end has the reason.
      waiting.clear();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
