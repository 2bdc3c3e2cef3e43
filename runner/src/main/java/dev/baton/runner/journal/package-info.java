/** The runner's lanes of the trace: ordered, acknowledged appends to Kafka. */
@NullMarked
package dev.baton.runner.journal;

import org.jspecify.annotations.NullMarked;
