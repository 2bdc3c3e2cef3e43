/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException.UnavailableException;
import dev.baton.launcher.OlderEpochKiller;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Lists and kills the live pods of an installation. Thread-safe. */
final class LivePods implements OlderEpochKiller.LiveRunners {
  private final KubernetesApi api;
  private final PodTerminator terminator;
  private final Consumer<String> killing;

  /**
   * @param killing receives each runner before its pod is killed
   */
  LivePods(KubernetesApi api, PodTerminator terminator, Consumer<String> killing) {
    this.api = api;
    this.terminator = terminator;
    this.killing = killing;
  }

  @Override
  public List<OlderEpochKiller.LiveRunner> list() throws UnavailableException {
    return api.list().getItems().stream()
        .map(PodView::of)
        .filter(PodView::isLive)
        .map(
            pod ->
                new OlderEpochKiller.LiveRunner(
                    pod.runner(), pod.name(), pod.uid(), pod.run(), pod.epoch()))
        .toList();
  }

  @Override
  public void kill(OlderEpochKiller.LiveRunner runner) throws UnavailableException {
    Optional<PodView> pod =
        api.find(runner.detail()).filter(found -> found.uid().equals(runner.handle()));
    if (pod.isPresent()) {
      killing.accept(runner.runner());
      terminator.kill(pod.get());
    }
  }
}
