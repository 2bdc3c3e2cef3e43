/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Pulls images that are missing on the Docker host, each once for all runners that wait for it. A
 * pull continues when its callers give up; the next start uses its result. Thread-safe.
 */
final class ImagePuller {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private record Pull(CompletableFuture<Void> done, long startedNanos) {}

  private final DockerEngine engine;
  private final ConcurrentMap<String, Pull> pulls = new ConcurrentHashMap<>();

  ImagePuller(DockerEngine engine) {
    this.engine = engine;
  }

  /**
   * Returns when the image was pulled; waits 5 s at most.
   *
   * @throws LaunchException.NoRoomException while it is being pulled
   * @throws LaunchException.RejectedException when it cannot be pulled
   */
  void require(String image) throws LaunchException {
    Pull pull = pulls.computeIfAbsent(image, this::start);
    try {
      pull.done().get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      pulls.remove(image, pull);
    } catch (TimeoutException e) {
      throw new LaunchException.NoRoomException(
          "cannot start a container yet: image '%s' has been pulled for %d s"
              .formatted(
                  image, Duration.ofNanos(System.nanoTime() - pull.startedNanos()).toSeconds()));
    } catch (ExecutionException e) {
      pulls.remove(image, pull);
      throw missing(image, "it cannot be pulled: " + message(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LaunchException.NoRoomException(
          "interrupted while image '" + image + "' is pulled");
    }
  }

  private static String message(ExecutionException failure) {
    Throwable cause = failure.getCause();
    return String.valueOf(cause == null ? failure.getMessage() : cause.getMessage()).strip();
  }

  static LaunchException.RejectedException missing(String image, String why, Throwable cause) {
    return new LaunchException.RejectedException(
        ("cannot start a container of image '%s': it is not on the Docker host, and %s;"
                + " build or pull it there, or correct container.image of the launcher or pool")
            .formatted(image, why),
        cause);
  }

  private Pull start(String image) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("pull-" + image)
        .start(
            () -> {
              try {
                engine.pull(image, LIMIT);
                done.complete(null);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                done.completeExceptionally(e);
              } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
              }
            });
    return new Pull(done, System.nanoTime());
  }
}
