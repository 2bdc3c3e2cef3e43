/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handles Ctrl-C during a wait instead of ending the command. Has no effect where the signal cannot
 * be handled, as in a shell's background jobs.
 */
public final class CtrlCHandler implements AutoCloseable {
  private static final Signal INT = new Signal("INT");

  private final SignalHandler before;

  private CtrlCHandler(SignalHandler before) {
    this.before = before;
  }

  /**
   * @param pressed gets how often it was pressed so far; called on a new thread each time
   */
  public static CtrlCHandler caught(IntConsumer pressed) {
    AtomicInteger times = new AtomicInteger();
    return new CtrlCHandler(Signal.handle(INT, signal -> pressed.accept(times.incrementAndGet())));
  }

  @Override
  public void close() {
    Signal.handle(INT, before);
  }
}
