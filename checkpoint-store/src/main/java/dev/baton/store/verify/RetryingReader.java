/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.protocol.retry.Backoff;
import dev.baton.snapshot.SnapshotException;
import dev.baton.store.failure.StoreRequestException;
import java.io.IOException;
import java.time.Duration;

/** Repeats a read that failed with an I/O error. */
final class RetryingReader {
  private static final int TRIES = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private RetryingReader() {}

  interface ReadOperation<T> {
    T read() throws IOException;
  }

  /**
   * @throws SnapshotException if the bytes were read and are wrong; not retried
   * @throws StoreRequestException UNAVAILABLE after a few failed reads; any other one of the
   *     operation is passed on
   */
  static <T> T insist(String what, ReadOperation<T> reading) throws SnapshotException {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int i = 1; ; i++) {
      try {
        return reading.read();
      } catch (SnapshotException e) {
        throw e;
      } catch (IOException e) {
        if (i == TRIES) {
          throw StoreRequestException.unavailable(
              "could not %s in %d attempts: %s".formatted(what, TRIES, e));
        }
        if (!backoff.pauseUnlessInterrupted()) {
          throw StoreRequestException.unavailable("the store is stopping");
        }
      }
    }
  }
}
