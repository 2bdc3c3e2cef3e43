/** The one Kafka producer and the topics' creation. */
@NullMarked
package dev.baton.orchestrator.publish;

import org.jspecify.annotations.NullMarked;
