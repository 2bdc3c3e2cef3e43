/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Replays attacks on the services of the commit before the security work and on those of this tree,
 * by raw protocols: HTTP, gRPC frames, Kafka records and scripts of steps.
 */
@NullMarked
package dev.baton.acceptance.attacks;

import org.jspecify.annotations.NullMarked;
