/**
 * A Kafka broker and its KRaft controller in one process, for one machine: the log of {@code baton
 * up} and of the tests.
 */
@NullMarked
package dev.baton.standalone.kafka;

import org.jspecify.annotations.NullMarked;
