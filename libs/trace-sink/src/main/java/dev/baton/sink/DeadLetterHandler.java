/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Uni;

/** Receives the records that are not applied, before the positions advance past them. */
@FunctionalInterface
public interface DeadLetterHandler {
  /** Completes once the record is safe. Repeated until it succeeds; may receive a record again. */
  Uni<Void> publish(PoisonRecord poison);
}
