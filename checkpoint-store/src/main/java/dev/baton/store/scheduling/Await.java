/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.scheduling;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/** For threads that may block: an answer, or a failure after a bound. */
public final class Await {
  /** More than Postgres gives a statement, and than the object store is tried for. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Await() {}

  public static <T> T get(Uni<T> answer) {
    return answer.await().atMost(PATIENCE);
  }
}
