/** The Kafka Streams topology that detects silent runners. */
@NullMarked
package dev.baton.orchestrator.liveness;

import org.jspecify.annotations.NullMarked;
