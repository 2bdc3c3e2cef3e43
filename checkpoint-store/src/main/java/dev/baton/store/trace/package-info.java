/** The trace from Kafka into Postgres, exactly once. */
@NullMarked
package dev.baton.store.trace;

import org.jspecify.annotations.NullMarked;
