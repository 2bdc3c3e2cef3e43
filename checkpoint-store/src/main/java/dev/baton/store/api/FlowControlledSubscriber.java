/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.store.failure.FailureTranslator;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sends a stream to a gRPC client no faster than the client reads: requests the next item when the
 * transport is ready for it. Cancels the stream when the client disconnects.
 */
final class FlowControlledSubscriber<T> implements Flow.Subscriber<T> {
  private final ServerCallStreamObserver<T> observer;
  private final AtomicReference<Flow.Subscription> subscription = new AtomicReference<>();

  /** Whether a requested item has not arrived yet. */
  private final AtomicBoolean asked = new AtomicBoolean();

  /** Must be created within the service call: grpc-java accepts the handlers only there. */
  FlowControlledSubscriber(ServerCallStreamObserver<T> observer) {
    this.observer = observer;
    observer.setOnReadyHandler(this::ask);
    observer.setOnCancelHandler(this::cancel);
  }

  @Override
  public void onSubscribe(Flow.Subscription source) {
    subscription.set(source);
    ask();
  }

  @Override
  public void onNext(T item) {
    asked.set(false);
    if (observer.isCancelled()) {
      cancel();
      return;
    }
    observer.onNext(item);
    ask();
  }

  @Override
  public void onError(Throwable failure) {
    if (!observer.isCancelled()) {
      observer.onError(FailureTranslator.asStatus(failure));
    }
  }

  @Override
  public void onComplete() {
    if (!observer.isCancelled()) {
      observer.onCompleted();
    }
  }

  private void ask() {
    Flow.Subscription source = subscription.get();
    if (source != null && observer.isReady() && asked.compareAndSet(false, true)) {
      source.request(1);
    }
  }

  private void cancel() {
    Flow.Subscription source = subscription.get();
    if (source != null) {
      source.cancel();
    }
  }
}
