/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Uni;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;

/** Runs work on the consumer's polling thread: no partition is revoked during it. */
@FunctionalInterface
public interface PollingThread {
  /** Completes with the result of the work, which may block for up to 30 s. */
  Uni<Set<Integer>> run(Function<Consumer<byte[], byte[]>, Set<Integer>> work);
}
