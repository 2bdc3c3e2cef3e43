/**
 * The trace: its events as records, their ids and lanes, and their CloudEvents form on the topic
 * {@code baton.trace}.
 */
@NullMarked
package dev.baton.protocol.trace;

import org.jspecify.annotations.NullMarked;
