/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Collects the items of a stream that a test requests. */
public final class PacedSubscriber<T> implements Flow.Subscriber<T> {
  private final List<T> items = new ArrayList<>();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private boolean ended;

  @Override
  public void onSubscribe(Flow.Subscription source) {
    subscription = source;
  }

  public void request(long count) {
    if (subscription == null) {
      throw new IllegalStateException("not subscribed");
    }
    subscription.request(count);
  }

  public void cancel() {
    if (subscription == null) {
      throw new IllegalStateException("not subscribed");
    }
    subscription.cancel();
  }

  @Override
  public synchronized void onNext(T item) {
    items.add(item);
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable thrown) {
    failure = thrown;
    ended = true;
    notifyAll();
  }

  @Override
  public synchronized void onComplete() {
    ended = true;
    notifyAll();
  }

  /** Waits until this many items have arrived in total; returns all. */
  public synchronized List<T> awaitItems(int count) throws InterruptedException {
    while (items.size() < count) {
      if (ended) {
        throw new AssertionError("ended after " + items.size() + " items", failure);
      }
      wait();
    }
    return List.copyOf(items);
  }

  /** Waits for the end of the stream; returns its failure, null if it has completed. */
  public synchronized @Nullable Throwable awaitEnd() throws InterruptedException {
    while (!ended) {
      wait();
    }
    return failure;
  }
}
