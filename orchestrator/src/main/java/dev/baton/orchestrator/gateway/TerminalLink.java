/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOutput;
import io.smallrye.mutiny.subscription.MultiEmitter;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A runner's call that shows one screen. What arrives before a listener is set is kept, which the
 * runner's window bounds. Thread-safe.
 */
public final class TerminalLink {
  /** Messages that a runner may send before they are taken; its window has fewer. */
  private static final int MAX_KEPT = 100_000;

  /** Receives what the runner sends, one message at a time, in order; must not block. */
  public interface Listener {
    void on(TerminalOutput message);

    /** The call has ended; nothing follows. */
    void ended();
  }

  private final MultiEmitter<? super TerminalInput> out;
  private final Queue<TerminalOutput> kept = new ArrayDeque<>();
  private @Nullable Listener listener;
  private boolean ended;

  TerminalLink(MultiEmitter<? super TerminalInput> out) {
    this.out = out;
  }

  /** Sends a message to the runner, without blocking; an ended call drops it. */
  public void send(TerminalInput message) {
    out.emit(message);
  }

  /** Ends the call, and so the client of the screen. */
  public void close() {
    out.complete();
  }

  /** Passes on what has arrived and what will. */
  public synchronized void listen(Listener to) {
    listener = to;
    for (TerminalOutput message = kept.poll(); message != null; message = kept.poll()) {
      to.on(message);
    }
    if (ended) {
      to.ended();
    }
  }

  synchronized void arrived(TerminalOutput message) {
    if (listener != null) {
      listener.on(message);
    } else if (kept.size() < MAX_KEPT) {
      kept.add(message);
    } else {
      out.complete();
    }
  }

  synchronized void end() {
    if (!ended) {
      ended = true;
      if (listener != null) {
        listener.ended();
      }
    }
  }
}
