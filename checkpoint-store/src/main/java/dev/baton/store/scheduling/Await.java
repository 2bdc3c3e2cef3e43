/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.scheduling;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/** Blocks a thread that may block until a result arrives; fails after a bound. */
public final class Await {
  /** Longer than the statement timeout of Postgres and than the retries of the object store. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Await() {}

  public static <T> T get(Uni<T> answer) {
    return answer.await().atMost(PATIENCE);
  }
}
