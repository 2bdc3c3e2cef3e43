/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

/**
 * An effect that outlasted its round has ended, so its row is due.
 *
 * @param row id of the outbox row
 */
record OutboxEffectEndedEvent(long row) {}
