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
 * A created milestone commit with its sidecar.
 *
 * @param file path of the sidecar
 * @param drift the difference between the milestone number in the run's state and that in the
 *     repository; empty where they agree
 */
public record CommittedMilestone(MilestoneSidecar sidecar, Path file, Optional<String> drift) {}
