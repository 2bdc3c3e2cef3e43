/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import dev.baton.launcher.RelistLoop;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Receives the ends of containers until it is closed or its connection ends. Thread-safe. */
final class DockerEventStream implements ResultCallback<Event>, RelistLoop.ChangeStream {
  private final Consumer<String> died;
  private final CompletableFuture<Closeable> opened = new CompletableFuture<>();
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  DockerEventStream(Consumer<String> died) {
    this.died = died;
  }

  @Override
  public void onStart(Closeable connection) {
    opened.complete(connection);
    if (isClosed.get()) {
      disconnect();
    }
  }

  @Override
  public void onNext(Event event) {
    if (event.getActor() != null && event.getActor().getAttributes() != null) {
      String runner = event.getActor().getAttributes().get(ContainerLabels.RUNNER);
      if (runner != null) {
        died.accept(runner);
      }
    }
  }

  @Override
  public void onError(Throwable cause) {
    opened.completeExceptionally(cause);
    ended.complete(String.valueOf(cause.getMessage()));
  }

  @Override
  public void onComplete() {
    ended.complete("Docker has ended the stream of events");
  }

  /**
   * @throws ExecutionException without a connection
   */
  void awaitOpen() throws InterruptedException, ExecutionException {
    opened.get();
  }

  /** Returns whether the stream ends within this time. */
  @Override
  public boolean isEndedWithin(Duration time) throws InterruptedException {
    try {
      ended.get(time.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      ended.complete("closed");
      disconnect();
    }
  }

  private void disconnect() {
    if (opened.isDone() && !opened.isCompletedExceptionally()) {
      try {
        opened.join().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
