/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchException.UnavailableException;
import dev.baton.launcher.OlderEpochKiller;
import java.util.List;

/** Lists and kills the live containers of an installation. Thread-safe. */
final class LiveContainers implements OlderEpochKiller.LiveRunners {
  private static final String CREATED = "created";

  private final DockerEngine engine;

  LiveContainers(DockerEngine engine) {
    this.engine = engine;
  }

  /** The detail of a container is its status: a created one is removed. */
  @Override
  public List<OlderEpochKiller.LiveRunner> list() throws UnavailableException {
    return engine.list().stream()
        .filter(DockerContainer::isLive)
        .map(
            one ->
                new OlderEpochKiller.LiveRunner(
                    one.runner(), one.status(), one.id(), one.run(), one.epoch()))
        .toList();
  }

  @Override
  public void kill(OlderEpochKiller.LiveRunner runner) throws UnavailableException {
    if (runner.detail().equals(CREATED)) {
      engine.remove(runner.handle()); // It has no process yet, and gets none.
    } else {
      engine.signal(runner.handle(), "SIGKILL");
    }
  }
}
