/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.secrets.SecretCheckpointPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings for checkpoints.
 *
 * @param interval between checkpoints inside a step; empty for none
 * @param environment names of variables to record, in which {@code *} matches any characters
 * @param secrets what happens to files that contain secrets
 */
public record CheckpointSettings(
    Optional<Duration> interval, List<String> environment, SecretCheckpointPolicy secrets) {
  public CheckpointSettings {
    environment = List.copyOf(environment);
  }
}
