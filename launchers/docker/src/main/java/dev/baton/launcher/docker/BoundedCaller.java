/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.DockerException;
import dev.baton.launcher.LaunchException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Limits the time of requests to Docker: Unix sockets of the client have no read timeout. Each
 * request has a thread of its own, so an interrupt of the caller closes no shared connection.
 * Thread-safe.
 */
final class BoundedCaller {
  private final URI host;
  private final Duration timeout;
  private volatile boolean isClosed;

  BoundedCaller(URI host, Duration timeout) {
    this.host = host;
    this.timeout = timeout;
  }

  /**
   * @throws DockerException with the answer of Docker when it is an error
   * @throws LaunchException.UnavailableException without an answer
   */
  <T> T call(String what, Callable<T> request) throws LaunchException.UnavailableException {
    FutureTask<T> task = new FutureTask<>(request);
    Thread.ofVirtual().name("docker-call").start(task);
    try {
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      task.cancel(true);
      throw unavailable(what, "no answer within " + timeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      task.cancel(true);
      Thread.currentThread().interrupt();
      throw unavailable(what, "interrupted", e);
    }
  }

  /** From now on no request is answered. */
  void close() {
    isClosed = true;
  }

  private LaunchException.UnavailableException failure(String what, Throwable cause) {
    if (isClosed) {
      return new LaunchException.UnavailableException("the Docker launcher is closed", cause);
    }
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof IOException) {
        return unavailable(what, String.valueOf(at.getMessage()), cause);
      }
    }
    if (cause instanceof RuntimeException answer) {
      throw answer;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return unavailable(what, cause.toString(), cause);
  }

  private LaunchException.UnavailableException unavailable(
      String what, String why, Throwable cause) {
    return new LaunchException.UnavailableException(
        "Docker at %s does not answer (%s: %s); start it, or correct docker.host of the launcher"
            .formatted(host, what, why),
        cause);
  }
}
