/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchException.UnavailableException;
import dev.baton.protocol.retry.Backoff;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the API server about the pods of one namespace. A transient error (429, 5xx),
 * and no answer, is repeated up to three times with jitter and within the settings' timeout, so a
 * request takes at most twice that. Then it throws {@link UnavailableException}. An answer that is
 * another error is one, too, except where a method states otherwise. Thread-safe.
 */
final class KubernetesApi implements AutoCloseable {
  static final int CONFLICT = 409;
  static final int NOT_FOUND = 404;
  static final int TOO_MANY_REQUESTS = 429;

  private static final int CLIENT_ERROR = 400;
  private static final int SERVER_ERROR = 500;
  private static final int ATTEMPTS = 4;
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(2);
  private static final int CONNECT_MILLIS = 5_000;

  /** Bounds of a watch; the API server ends it then, and a list follows. */
  private static final long MIN_WATCH_SECONDS = 300;

  private static final long MAX_WATCH_SECONDS = 600;
  private static final int LOG_LINES = 10_000;
  private static final int LOG_BYTES = 1 << 20;

  private final KubernetesLauncherSettings settings;
  private final KubernetesClient client;
  private final String namespace;
  private final CountDownLatch closed = new CountDownLatch(1);

  KubernetesApi(KubernetesLauncherSettings settings) {
    this.settings = settings;
    Config config =
        new ConfigBuilder(load(settings))
            .withConnectionTimeout(CONNECT_MILLIS)
            .withRequestTimeout(Math.toIntExact(settings.callTimeout().toMillis()))
            .withRequestRetryBackoffLimit(0)
            .withWatchReconnectLimit(0)
            .withOnlyHttpWatches(true)
            .build();
    this.client =
        new KubernetesClientBuilder()
            .withConfig(config)
            .withHttpClientFactory(new JdkHttpClientFactory())
            .build();
    this.namespace =
        settings.namespace().or(() -> Optional.ofNullable(client.getNamespace())).orElse("default");
  }

  private static Config load(KubernetesLauncherSettings settings) {
    String context = settings.context().orElse(null);
    Optional<Path> file = settings.kubeconfig();
    if (file.isEmpty()) {
      return Config.autoConfigure(context);
    }
    Config config = Config.fromKubeconfig(file.get().toFile());
    return context == null ? config : Config.fromKubeconfig(context, file.get().toFile());
  }

  /** Returns the address and namespace, for messages. */
  String place() {
    return client.getMasterUrl() + " (namespace " + namespace + ")";
  }

  /** Returns the address of the API server. */
  String cluster() {
    return client.getMasterUrl().toString();
  }

  String namespace() {
    return namespace;
  }

  /**
   * Creates a pod.
   *
   * @return empty when a pod of this name exists
   * @throws KubernetesClientException when the API server refuses it
   */
  Optional<Pod> create(Pod pod) throws UnavailableException {
    return call(
        "create a pod",
        () -> {
          try {
            return Optional.of(client.pods().inNamespace(namespace).resource(pod).create());
          } catch (KubernetesClientException e) {
            if (e.getCode() == CONFLICT && isExisting(e)) {
              return Optional.empty();
            }
            throw e;
          }
        });
  }

  /**
   * Creates a secret; no effect when it exists.
   *
   * @throws KubernetesClientException when the API server refuses it
   */
  void create(Secret secret) throws UnavailableException {
    call(
        "create a secret",
        () -> {
          try {
            client.secrets().inNamespace(namespace).resource(secret).create();
          } catch (KubernetesClientException e) {
            if (e.getCode() != CONFLICT || !isExisting(e)) {
              throw e;
            }
          }
          return true;
        });
  }

  private static boolean isExisting(KubernetesClientException answer) {
    Status status = answer.getStatus();
    return status != null && "AlreadyExists".equals(status.getReason());
  }

  /** Returns the pod with this name; empty when there is none. */
  Optional<PodView> find(String name) throws UnavailableException {
    return query(
            "read a pod",
            () -> Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get()))
        .map(PodView::of);
  }

  /** Returns the installation's pods, ended ones included, with the version of the list. */
  PodList list() throws UnavailableException {
    return query(
        "list pods",
        () -> client.pods().inNamespace(namespace).withLabel(label(), installation()).list());
  }

  private static String label() {
    return PodLabels.INSTALLATION;
  }

  private String installation() {
    return settings.installation();
  }

  /**
   * Follows the installation's pods from a version on, for five to ten minutes.
   *
   * @param seen receives each new state, one after another, and whether the pod was deleted
   */
  PodWatch watch(@Nullable String version, BiConsumer<Pod, Boolean> seen)
      throws UnavailableException {
    return query(
        "watch pods",
        () -> {
          PodWatch watch = new PodWatch(seen);
          watch.opened(
              client
                  .pods()
                  .inNamespace(namespace)
                  .withLabel(label(), installation())
                  .watch(
                      new ListOptionsBuilder()
                          .withResourceVersion(version)
                          .withTimeoutSeconds(
                              ThreadLocalRandom.current()
                                  .nextLong(MIN_WATCH_SECONDS, MAX_WATCH_SECONDS))
                          .build(),
                      watch));
          return watch;
        });
  }

  /**
   * Deletes a pod, and not another one that has its name now. No effect when it does not exist.
   *
   * @param grace seconds between SIGTERM and SIGKILL; 0: the API server forgets the pod at once,
   *     and its node follows when it can; null for that of the pod
   */
  void delete(String name, String uid, @Nullable Long grace) throws UnavailableException {
    delete(name, uid, null, grace);
  }

  /**
   * Deletes a pod as it was seen. One that had no node is not deleted when it has one now.
   *
   * @param grace as above
   * @return false when it was not deleted; it must be read again
   */
  boolean delete(PodView pod, @Nullable Long grace) throws UnavailableException {
    String version = pod.isUnassigned() ? pod.source().getMetadata().getResourceVersion() : null;
    return delete(pod.name(), pod.uid(), version, grace);
  }

  /**
   * @param version of the pod that is deleted; null for any
   */
  private boolean delete(String name, String uid, @Nullable String version, @Nullable Long grace)
      throws UnavailableException {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withApiVersion("v1")
            .withKind("DeleteOptions")
            .withGracePeriodSeconds(grace)
            .withPropagationPolicy("Background")
            .withNewPreconditions()
            .withUid(uid)
            .withResourceVersion(version)
            .endPreconditions()
            .build();
    return query(
        "delete a pod",
        () -> {
          try {
            client.raw("/api/v1/namespaces/" + namespace + "/pods/" + name, "DELETE", options);
            return true;
          } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
              return true;
            }
            if (e.getCode() == CONFLICT) {
              return false; // The name belongs to another pod, or the pod has changed.
            }
            throw e;
          }
        });
  }

  /**
   * Returns the end of the runner's output: at most 10,000 lines and 1 MiB; empty when its node
   * does not have it.
   */
  byte[] log(String name) throws UnavailableException {
    return query(
        "read the log of a pod",
        () -> {
          try (InputStream log =
              client
                  .pods()
                  .inNamespace(namespace)
                  .withName(name)
                  .inContainer(PodFactory.CONTAINER)
                  .limitBytes(LOG_BYTES)
                  .tailingLines(LOG_LINES)
                  .getLogInputStream()) {
            return log == null ? new byte[0] : log.readNBytes(LOG_BYTES);
          } catch (IOException e) {
            throw new KubernetesClientException("reading the log failed", e);
          }
        });
  }

  /** For requests whose refusal by the API server is like no answer: they are repeated later. */
  private <T> T query(String what, Supplier<T> request) throws UnavailableException {
    try {
      return call(what, request);
    } catch (KubernetesClientException e) {
      throw unavailable(what, e);
    }
  }

  private <T> T call(String what, Supplier<T> request) throws UnavailableException {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    long end = System.nanoTime() + settings.callTimeout().toNanos();
    for (int attempt = 1; ; attempt++) {
      try {
        return request.get();
      } catch (KubernetesClientException e) {
        if (!isTransient(e)) {
          throw e;
        }
        Duration pause = pause(e, backoff);
        if (attempt == ATTEMPTS
            || end - System.nanoTime() < pause.toNanos()
            || Thread.currentThread().isInterrupted()
            || isClosedWithin(pause)) {
          throw unavailable(what, e);
        }
      } catch (IllegalStateException | java.util.concurrent.RejectedExecutionException e) {
        throw unavailable(what, e); // The client is closed.
      }
    }
  }

  private static boolean isTransient(KubernetesClientException answer) {
    // Without an answer of the server the client's exception has no code of HTTP.
    int code = answer.getCode();
    return code < CLIENT_ERROR || code == TOO_MANY_REQUESTS || code >= SERVER_ERROR;
  }

  private static boolean isRefusal(RuntimeException failure) {
    return failure instanceof KubernetesClientException answer && !isTransient(answer);
  }

  /** Waits at least as long as the API server states. */
  private static Duration pause(KubernetesClientException answer, Backoff backoff) {
    Duration pause = backoff.next();
    Status status = answer.getStatus();
    if (status == null || status.getDetails() == null) {
      return pause;
    }
    Integer seconds = status.getDetails().getRetryAfterSeconds();
    return seconds == null ? pause : pause.plusSeconds(Math.max(0, seconds));
  }

  private boolean isClosedWithin(Duration pause) {
    try {
      return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private UnavailableException unavailable(String what, RuntimeException cause) {
    return new UnavailableException(
        closed.getCount() == 0
            ? "the Kubernetes launcher is closed"
            : isRefusal(cause)
                ? "Kubernetes at %s refuses (%s: %s)".formatted(place(), what, message(cause))
                : "Kubernetes at %s does not answer (%s: %s); start it, or correct kubernetes.* of the launcher"
                    .formatted(place(), what, message(cause)),
        cause);
  }

  /** Returns the words of the API server, or why there are none. */
  static String message(RuntimeException failure) {
    if (failure instanceof KubernetesClientException answer) {
      Status status = answer.getStatus();
      if (status != null && status.getMessage() != null) {
        return status.getMessage();
      }
    }
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return Objects.requireNonNullElse(cause.getMessage(), cause.toString());
  }

  /** Returns the exception for a launch that the API server refuses. */
  LaunchException refusal(KubernetesClientException answer) {
    return PodLaunchRefusal.of(answer.getCode(), message(answer), place(), answer);
  }

  /** Idempotent; later requests fail. */
  @Override
  public void close() {
    closed.countDown();
    client.close();
  }
}
