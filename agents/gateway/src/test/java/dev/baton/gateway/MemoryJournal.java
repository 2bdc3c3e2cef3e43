/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.journal.AnswerJournal;
import dev.baton.gateway.journal.JournaledAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A journal in memory that can delay or refuse its acknowledgement. */
final class MemoryJournal implements AnswerJournal {
  private final List<JournaledAnswer> answers = new ArrayList<>();
  private volatile CountDownLatch open = new CountDownLatch(0);
  private volatile boolean failing;

  @Override
  public void append(JournaledAnswer answer) throws IOException, InterruptedException {
    if (!open.await(30, TimeUnit.SECONDS)) {
      throw new IOException("the test did not open the journal");
    }
    if (failing) {
      throw new IOException("the log does not acknowledge");
    }
    synchronized (answers) {
      answers.add(answer);
      answers.notifyAll();
    }
  }

  /** Waits for so many answers; false when there are fewer after {@code bound}. */
  boolean awaitAnswers(int count, Duration bound) throws InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    synchronized (answers) {
      while (answers.size() < count) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(answers, left);
      }
      return true;
    }
  }

  CountDownLatch hold() {
    open = new CountDownLatch(1);
    return open;
  }

  void fail(boolean fails) {
    failing = fails;
  }

  List<JournaledAnswer> answers() {
    synchronized (answers) {
      return List.copyOf(answers);
    }
  }
}
