/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

/** Fired when a runner with a free slot has attached, or a full runner has a free slot again. */
public record RunnerSlotsFreedEvent() {}
