/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.identity.CallerStreamRegistry.OpenStream;
import dev.baton.orchestrator.problem.ProblemException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.operators.multi.AbstractMultiOperator;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.SerializedSubscriber;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A stream that its registration can end with a failure, at any time and on any thread. Passes
 * requests on as they are. Registers each subscription.
 */
final class EndableMulti<T> extends AbstractMultiOperator<T, T> {
  private final Function<Consumer<ProblemException>, OpenStream> register;

  /**
   * @param register registers what ends a subscription
   */
  EndableMulti(Multi<T> upstream, Function<Consumer<ProblemException>, OpenStream> register) {
    super(upstream);
    this.register = register;
  }

  @Override
  public void subscribe(MultiSubscriber<? super T> downstream) {
    EndableSubscriber subscriber = new EndableSubscriber(new SerializedSubscriber<>(downstream));
    upstream.subscribe().withSubscriber(subscriber);
  }

  private final class EndableSubscriber implements MultiSubscriber<T>, Flow.Subscription {
    private final SerializedSubscriber<T> out;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Flow.@Nullable Subscription source;
    private volatile @Nullable OpenStream registration;

    EndableSubscriber(SerializedSubscriber<T> out) {
      this.out = out;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      source = subscription;
      out.onSubscribe(this);
      registration = register.apply(this::end);
      if (ended.get()) {
        close();
      }
    }

    private void end(ProblemException reason) {
      if (finish()) {
        stop();
        out.onFailure(reason);
      }
    }

    @Override
    public void onItem(T item) {
      if (!ended.get()) {
        out.onItem(item);
      }
    }

    @Override
    public void onFailure(Throwable failure) {
      if (finish()) {
        out.onFailure(failure);
      }
    }

    @Override
    public void onCompletion() {
      if (finish()) {
        out.onCompletion();
      }
    }

    @Override
    public void request(long items) {
      Flow.Subscription from = source;
      if (from != null && !ended.get()) {
        from.request(items);
      }
    }

    @Override
    public void cancel() {
      if (finish()) {
        stop();
      }
    }

    private boolean finish() {
      boolean first = ended.compareAndSet(false, true);
      if (first) {
        close();
      }
      return first;
    }

    private void close() {
      OpenStream open = registration;
      if (open != null) {
        open.close();
      }
    }

    private void stop() {
      Flow.Subscription from = source;
      if (from != null) {
        from.cancel();
      }
    }
  }
}
