/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import dev.baton.milestone.sidecar.MilestoneSidecar;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A milestone that was made.
 *
 * @param file of the sidecar
 * @param drift what the repository said that the run's state did not; empty where they agreed
 */
public record CommittedMilestone(MilestoneSidecar sidecar, Path file, Optional<String> drift) {}
