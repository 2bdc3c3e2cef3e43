/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.store.failure.FailureTranslator;
import io.grpc.stub.StreamObserver;
import io.smallrye.mutiny.Uni;
import java.util.function.Supplier;

/** Answers a call with one message, or with the status that its failure is. */
final class UnaryAnswer {
  private UnaryAnswer() {}

  static <T> void send(StreamObserver<T> observer, Supplier<Uni<? extends T>> work) {
    Uni.createFrom()
        .deferred(work)
        .subscribe()
        .with(
            item -> {
              observer.onNext(item);
              observer.onCompleted();
            },
            failure -> observer.onError(FailureTranslator.asStatus(failure)));
  }
}
