/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Whether the client of a streaming call can take further items. Thread-safe. */
final class CallReadiness {
  private final BooleanSupplier ready;
  private final AtomicReference<Runnable> listener = new AtomicReference<>(() -> {});

  CallReadiness(BooleanSupplier ready) {
    this.ready = ready;
  }

  /** Called when the client may have become ready. */
  void changed() {
    listener.get().run();
  }

  /**
   * Returns the items, each requested from its source when the client can take it. A call has one
   * such stream.
   */
  <T> Multi<T> paced(Multi<T> items) {
    return Multi.createFrom()
        .emitter(
            out -> {
              PacedSubscriber<T> subscriber = new PacedSubscriber<>(out);
              listener.set(subscriber::proceed);
              out.onTermination(subscriber::cancel);
              items.subscribe().withSubscriber(subscriber);
            });
  }

  private final class PacedSubscriber<T> implements Flow.Subscriber<T> {
    private final MultiEmitter<? super T> out;
    private final AtomicReference<Flow.Subscription> source = new AtomicReference<>();

    /** Whether a requested item has not arrived yet. */
    private final AtomicBoolean awaited = new AtomicBoolean();

    PacedSubscriber(MultiEmitter<? super T> out) {
      this.out = out;
    }

    void proceed() {
      Flow.Subscription subscription = source.get();
      if (subscription != null && ready.getAsBoolean() && awaited.compareAndSet(false, true)) {
        subscription.request(1);
      }
    }

    void cancel() {
      Flow.Subscription subscription = source.get();
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      source.set(subscription);
      proceed();
    }

    @Override
    public void onNext(T item) {
      awaited.set(false);
      out.emit(item);
      proceed();
    }

    @Override
    public void onError(Throwable failure) {
      out.fail(failure);
    }

    @Override
    public void onComplete() {
      out.complete();
    }
  }
}
