/** The Kafka Streams topology that notices runners which have gone silent. */
@NullMarked
package dev.baton.orchestrator.liveness;

import org.jspecify.annotations.NullMarked;
