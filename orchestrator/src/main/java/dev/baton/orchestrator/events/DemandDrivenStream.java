/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.MultiEmitter;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the stream of a gRPC call no faster than its subscriber requests items, so that a slow
 * subscriber slows the server instead of filling this process's memory. Cancels the call when the
 * subscriber cancels; the generated stub would keep it open until the end of the stream.
 */
final class DemandDrivenStream<Q, A> implements ClientResponseObserver<Q, A> {
  private final MultiEmitter<? super A> out;
  private final Demand demand;
  private final @Nullable Duration patience;

  private DemandDrivenStream(
      MultiEmitter<? super A> out, Demand demand, @Nullable Duration patience) {
    this.out = out;
    this.demand = demand;
    this.patience = patience;
  }

  /**
   * @param start starts the call with this observer
   */
  static <Q, A> Multi<A> of(Consumer<DemandDrivenStream<Q, A>> start) {
    return of(start, null);
  }

  /**
   * @param start starts the call with this observer
   * @param patience fails with {@code DEADLINE_EXCEEDED} when a requested item does not arrive for
   *     this time, or at most twice of it; null waits as long as it takes
   */
  static <Q, A> Multi<A> of(Consumer<DemandDrivenStream<Q, A>> start, @Nullable Duration patience) {
    return Multi.createFrom()
        .deferred(
            () -> {
              Demand demand = new Demand();
              return Multi.createFrom()
                  .<A>emitter(
                      out -> {
                        start.accept(new DemandDrivenStream<>(out, demand, patience));
                        demand.started();
                      })
                  .onRequest()
                  .invoke(demand::add);
            });
  }

  /**
   * Passes requests on to the call; keeps those from before its start, which it does not accept.
   */
  private static final class Demand {
    private @Nullable ClientCallStreamObserver<?> call;
    private boolean started;
    private long waiting;

    /** Items that the call was requested to send and has not sent. */
    private long awaited;

    /** Whether an item was requested or has arrived since the last check. */
    private boolean progress;

    synchronized void of(ClientCallStreamObserver<?> starting) {
      call = starting;
    }

    synchronized void started() {
      started = true;
      add(0);
    }

    synchronized void add(long items) {
      waiting = waiting + items < 0 ? Long.MAX_VALUE : waiting + items;
      if (started && call != null && waiting > 0) {
        int now = (int) Math.min(waiting, Integer.MAX_VALUE);
        waiting -= now;
        awaited += now;
        progress = true;
        call.request(now);
      }
    }

    synchronized void arrived() {
      awaited--;
      progress = true;
    }

    /** Whether the server has sent nothing since the last check although items are awaited. */
    synchronized boolean isStalled() {
      boolean stalled = awaited > 0 && !progress;
      progress = false;
      return stalled;
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Q> call) {
    call.disableAutoRequestWithInitial(0);
    demand.of(call);
    ScheduledFuture<?> watch = patience == null ? null : watch(call, patience);
    out.onTermination(
        () -> {
          if (watch != null) {
            watch.cancel(false);
          }
          call.cancel("the subscriber has cancelled", null);
        });
  }

  private ScheduledFuture<?> watch(ClientCallStreamObserver<Q> call, Duration patience) {
    return Infrastructure.getDefaultWorkerPool()
        .scheduleAtFixedRate(
            () -> {
              if (demand.isStalled()) {
                out.fail(
                    Status.DEADLINE_EXCEEDED
                        .withDescription("nothing was sent for " + patience.toSeconds() + " s")
                        .asRuntimeException());
                call.cancel("the server sends nothing", null);
              }
            },
            patience.toMillis(),
            patience.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void onNext(A item) {
    demand.arrived();
    out.emit(item);
  }

  @Override
  public void onError(Throwable failure) {
    if (!out.isCancelled()) {
      out.fail(failure);
    }
  }

  @Override
  public void onCompleted() {
    out.complete();
  }
}
