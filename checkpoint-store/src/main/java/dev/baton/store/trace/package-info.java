/** Copies the trace from Kafka to Postgres, exactly once. */
@NullMarked
package dev.baton.store.trace;

import org.jspecify.annotations.NullMarked;
