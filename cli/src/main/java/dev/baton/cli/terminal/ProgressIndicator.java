/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shows on stderr what the command waits for, after a second: on a terminal one line that is
 * redrawn in place, otherwise a new line whenever the text changes and every ten seconds; nothing
 * if {@link Terminal#progress} is false. Thread-safe.
 */
public final class ProgressIndicator implements AutoCloseable {
  private static final int REPEAT_SECONDS = 10;
  private static final String CLEAR = ControlSequenceMarker.of("\r\u001b[K");

  private final PrintStream err;
  private final boolean terminal;
  private final long began = System.nanoTime();
  private final CountDownLatch closed = new CountDownLatch(1);
  private String text;
  private String printed = "";
  private int ticks;
  private boolean drawn;

  private ProgressIndicator(Terminal terminal, String text) {
    this.err = terminal.err();
    this.terminal = terminal.errIsTerminal();
    this.text = text;
  }

  public static ProgressIndicator start(Terminal terminal, String text) {
    ProgressIndicator progress = new ProgressIndicator(terminal, text);
    if (terminal.progress()) {
      Thread.ofVirtual().name("progress").start(progress::run);
    }
    return progress;
  }

  public synchronized void update(String newText) {
    text = newText;
  }

  /** Prints a permanent line above the progress line. */
  public synchronized void line(String line) {
    erase();
    err.println(line);
  }

  /** Runs an action that prints, with the progress line erased. */
  public synchronized void erased(Runnable printing) {
    erase();
    printing.run();
  }

  @Override
  public synchronized void close() {
    closed.countDown();
    erase();
  }

  private void run() {
    try {
      while (!closed.await(1, TimeUnit.SECONDS)) {
        tick();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void tick() {
    if (closed.getCount() == 0) {
      return;
    }
    String elapsed = TimeFormatter.duration(Duration.ofNanos(System.nanoTime() - began));
    if (terminal) {
      err.print(CLEAR + text + " … " + elapsed);
      err.flush();
      drawn = true;
    } else if (!text.equals(printed) || ++ticks % REPEAT_SECONDS == 0) {
      err.println(text + " … " + elapsed);
      printed = text;
    }
  }

  private void erase() {
    if (drawn) {
      err.print(CLEAR);
      err.flush();
      drawn = false;
    }
  }
}
