/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row that only this worker may perform until its transaction ends.
 *
 * @param home the run's home partition; null while it is not known
 * @param isSigned whether the run's control events are signed
 */
record ClaimedOutboxRow(
    long id,
    String run,
    @Nullable Integer home,
    boolean isSigned,
    List<OutboxEffect> effects,
    int attempts) {}
