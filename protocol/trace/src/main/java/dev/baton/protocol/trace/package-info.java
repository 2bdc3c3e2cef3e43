/**
 * The trace: its events as records, the envelope that orders them, and their CloudEvents form on
 * the topic {@code baton.trace}.
 */
@NullMarked
package dev.baton.protocol.trace;

import org.jspecify.annotations.NullMarked;
