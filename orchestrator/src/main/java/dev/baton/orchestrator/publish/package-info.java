/** The Kafka producer, and the creation of the topics. */
@NullMarked
package dev.baton.orchestrator.publish;

import org.jspecify.annotations.NullMarked;
