/**
 * The Kafka producer of the trace, the emitters of other topics, and the creation of the topics.
 */
@NullMarked
package dev.baton.orchestrator.publish;

import org.jspecify.annotations.NullMarked;
