/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the threads of one restore. An exception in one of them fails the pipeline. */
final class RestoreWorkers implements AutoCloseable {
  /** The work of one thread. */
  @FunctionalInterface
  interface Job {
    void run() throws IOException, InterruptedException;
  }

  private final RestorePipeline pipeline;
  private final List<Thread> threads = new ArrayList<>();

  RestoreWorkers(RestorePipeline pipeline) {
    this.pipeline = pipeline;
  }

  void start(int count, String name, Job job) {
    for (int i = 0; i < count; i++) {
      threads.add(
          Thread.ofPlatform().daemon().name("baton-restore-" + name, i).start(() -> run(job)));
    }
  }

  private void run(Job job) {
    try {
      job.run();
    } catch (Throwable e) {
      pipeline.fail(e);
    }
  }

  /** Stops the pipeline, interrupts the threads and waits until they have ended. */
  @Override
  public void close() {
    pipeline.close();
    threads.forEach(Thread::interrupt);
    ThreadJoiner.join(threads);
  }
}
