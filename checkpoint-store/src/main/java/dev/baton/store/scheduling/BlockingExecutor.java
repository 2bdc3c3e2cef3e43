/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.scheduling;

import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Runs blocking requests, each on its own virtual thread. Does not limit their number; the work
 * must.
 */
@ApplicationScoped
public class BlockingExecutor {
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("baton-aside-", 0).factory());

  public <T> Uni<T> run(Supplier<T> work) {
    return Uni.createFrom().item(work).runSubscriptionOn(threads);
  }

  @PreDestroy
  void stop() {
    threads.shutdownNow();
  }
}
