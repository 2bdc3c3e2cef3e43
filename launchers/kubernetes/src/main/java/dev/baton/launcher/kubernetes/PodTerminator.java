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
 * Kills pods in two steps: a deletion with a grace of one second, which the pod's node confirms
 * when its processes have ended; and, when it has not confirmed within five seconds, one without
 * grace, after which the API server forgets the pod at once, also while its processes live.
 * Thread-safe.
 */
final class PodTerminator {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int REMEMBERED = 10_000;
  private static final long ONE_SECOND = 1;
  private static final long NONE = 0;

  private final KubernetesApi api;

  /** By uid: when the first step was accepted. */
  private final ConcurrentMap<String, Long> requested = new ConcurrentHashMap<>();

  PodTerminator(KubernetesApi api) {
    this.api = api;
  }

  /** Takes the next step when it is due. No effect on a pod that does not exist. */
  void kill(String name, String uid) throws UnavailableException {
    Long first = requested.get(uid);
    if (first == null) {
      api.delete(name, uid, ONE_SECOND);
      if (requested.size() > REMEMBERED) {
        requested.clear(); // Their first step is repeated.
      }
      requested.putIfAbsent(uid, System.nanoTime());
    } else if (System.nanoTime() - first > PATIENCE.toNanos()) {
      api.delete(name, uid, NONE);
    }
  }

  /** Removes a pod that has no process. */
  void remove(String name, String uid) throws UnavailableException {
    api.delete(name, uid, NONE);
    requested.remove(uid);
  }
}
