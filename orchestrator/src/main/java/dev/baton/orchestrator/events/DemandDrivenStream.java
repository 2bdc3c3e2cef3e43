/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;
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

  private DemandDrivenStream(MultiEmitter<? super A> out, Demand demand) {
    this.out = out;
    this.demand = demand;
  }

  /**
   * @param start starts the call with this observer
   */
  static <Q, A> Multi<A> of(Consumer<DemandDrivenStream<Q, A>> start) {
    return Multi.createFrom()
        .deferred(
            () -> {
              Demand demand = new Demand();
              return Multi.createFrom()
                  .<A>emitter(
                      out -> {
                        start.accept(new DemandDrivenStream<>(out, demand));
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
        call.request(now);
      }
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Q> call) {
    call.disableAutoRequestWithInitial(0);
    demand.of(call);
    out.onTermination(() -> call.cancel("the subscriber has cancelled", null));
  }

  @Override
  public void onNext(A item) {
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
