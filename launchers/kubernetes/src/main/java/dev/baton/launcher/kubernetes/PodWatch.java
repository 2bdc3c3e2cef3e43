/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.RelistLoop;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the states of pods until it is closed, the API server ends it, or the version is too old
 * (410). A list then shows what was missed. Thread-safe.
 */
final class PodWatch implements Watcher<Pod>, RelistLoop.ChangeStream {
  private final BiConsumer<Pod, Boolean> seen;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<@Nullable Watch> connection = new AtomicReference<>();

  PodWatch(BiConsumer<Pod, Boolean> seen) {
    this.seen = seen;
  }

  void opened(Watch watch) {
    connection.set(watch);
  }

  @Override
  public void eventReceived(Action action, Pod pod) {
    switch (action) {
      case ADDED, MODIFIED -> seen.accept(pod, false);
      case DELETED -> seen.accept(pod, true);
      case ERROR, BOOKMARK -> {
        // An error ends the watch; bookmarks are not requested.
      }
    }
  }

  @Override
  public void onClose() {
    ended.countDown();
  }

  @Override
  public void onClose(WatcherException cause) {
    ended.countDown();
  }

  /** Returns whether the watch ends within this time. */
  @Override
  public boolean isEndedWithin(Duration time) throws InterruptedException {
    return ended.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Idempotent. */
  @Override
  public void close() {
    ended.countDown();
    Watch watch = connection.getAndSet(null);
    if (watch != null) {
      watch.close();
    }
  }
}
