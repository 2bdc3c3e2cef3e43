/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Creates pods and their secrets. A pod is created first, and its secret belongs to it, so that
 * Kubernetes deletes both; its container starts when both exist. Thread-safe.
 */
final class PodStarter {
  private static final int ATTEMPTS = 3;
  private static final int SUFFIX_BYTES = 4;

  private final KubernetesLauncherSettings settings;
  private final PodPoolTable pools;
  private final KubernetesApi api;
  private final PodFactory factory;
  private final SecureRandom random = new SecureRandom();

  PodStarter(KubernetesLauncherSettings settings, PodPoolTable pools, KubernetesApi api) {
    this.settings = settings;
    this.pools = pools;
    this.api = api;
    this.factory = new PodFactory(settings.installation());
  }

  /**
   * @param created receives the pod before its secret is created, since it may end at once
   * @return the pod; it may have ended
   */
  PodView start(LaunchSpec spec, Consumer<PodView> created) throws LaunchException {
    String name = PodLabels.name(settings.installation(), spec.runner());
    PodPool pool = pools.of(spec.pool());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<PodView> found = create(spec, pool, name);
      if (found.isEmpty()) {
        continue; // The earlier pod was just deleted.
      }
      PodView view = found.get();
      if (!isOwn(view, spec.runner())) {
        throw new LaunchException.RejectedException(
            "cannot start runner %s: pod %s was not created for it; delete that pod"
                .formatted(spec.runner(), name));
      }
      created.accept(view);
      if (view.isLive()) {
        createSecret(spec, pool.settings(), view);
      }
      return view;
    }
    throw new LaunchException.UnavailableException(
        "cannot start runner " + spec.runner() + ": its pod was deleted at the same time",
        new IllegalStateException(name));
  }

  boolean isOwn(PodView pod, String runner) {
    return pod.installation().equals(settings.installation()) && pod.runner().equals(runner);
  }

  private Optional<PodView> create(LaunchSpec spec, PodPool pool, String name)
      throws LaunchException {
    byte[] suffix = new byte[SUFFIX_BYTES];
    random.nextBytes(suffix);
    try {
      Optional<PodView> created =
          api.create(factory.pod(spec, pool, name + "-" + HexFormat.of().formatHex(suffix)))
              .map(PodView::of);
      return created.isPresent() ? created : api.find(name);
    } catch (KubernetesClientException e) {
      throw api.refusal(e);
    }
  }

  /** Creates the secret that the pod names; a pod that cannot have one is deleted. */
  private void createSecret(LaunchSpec spec, PodSettings settings, PodView pod)
      throws LaunchException {
    try {
      api.create(factory.secret(spec, settings, pod));
    } catch (KubernetesClientException e) {
      api.delete(pod.name(), pod.uid(), 0L);
      throw api.refusal(e);
    }
  }
}
