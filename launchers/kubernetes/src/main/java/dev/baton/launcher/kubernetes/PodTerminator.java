/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException.UnavailableException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Deletes pods, so that their processes end. Each call takes the next step when it is due:
 *
 * <pre>
 *   no node yet                       → deleted at once: no process runs
 *   its container is being created    → waits until its kubelet has reported its start, at most 5 s
 *   kill                              → a deletion with a grace of 1 s, confirmed by its kubelet
 *   … not confirmed after 8 s         → a deletion without grace: the API server forgets the pod,
 *                                       also while its processes live
 * </pre>
 *
 * The wait is for kubelets like that of Kubernetes 1.20. To them a pod whose container they are
 * creating has no process: when it is deleted they send no signal, start the container, end it
 * seconds later within the grace of the pod, whatever the deletion states, and never report its
 * exit code. Thread-safe.
 */
final class PodTerminator {
  private static final Duration CREATED = Duration.ofSeconds(5);
  private static final Duration CONFIRMED = Duration.ofSeconds(8);
  private static final int REMEMBERED = 10_000;
  private static final long ONE_SECOND = 1;
  private static final long NONE = 0;

  private final KubernetesApi api;

  /** By uid: since when the creation of its container delays its deletion. */
  private final ConcurrentMap<String, Long> delayed = new ConcurrentHashMap<>();

  /** By uid: when the deletion with a grace of a second was accepted. */
  private final ConcurrentMap<String, Long> requested = new ConcurrentHashMap<>();

  PodTerminator(KubernetesApi api) {
    this.api = api;
  }

  /**
   * Deletes a pod with its own grace.
   *
   * @param pod as the API server has it now
   * @return false when that is not due yet
   */
  boolean stop(PodView pod) throws UnavailableException {
    return !isDelayed(pod) && api.delete(pod, null);
  }

  /**
   * Takes the next step when it is due. Repeated until the pod has ended.
   *
   * @param pod as the API server has it now
   */
  void kill(PodView pod) throws UnavailableException {
    Long first = requested.get(pod.uid());
    if (first == null) {
      if (!isDelayed(pod) && api.delete(pod, ONE_SECOND)) {
        since(requested, pod.uid());
      }
    } else if (System.nanoTime() - first > CONFIRMED.toNanos()) {
      api.delete(pod.name(), pod.uid(), NONE);
    }
  }

  private boolean isDelayed(PodView pod) {
    return pod.isCreating()
        && pod.overdue() == null // Else its deletion was requested before.
        && System.nanoTime() - since(delayed, pod.uid()) < CREATED.toNanos();
  }

  /** Returns when this was called first for the pod. */
  private static long since(ConcurrentMap<String, Long> times, String uid) {
    if (times.size() > REMEMBERED) {
      times.clear(); // Their first step is repeated.
    }
    long now = System.nanoTime();
    Long before = times.putIfAbsent(uid, now);
    return before == null ? now : before;
  }

  /** Removes a pod that has no process. */
  void remove(String name, String uid) throws UnavailableException {
    api.delete(name, uid, NONE);
    requested.remove(uid);
    delayed.remove(uid);
  }
}
