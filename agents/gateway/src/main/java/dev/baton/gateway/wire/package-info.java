/**
 * The three forms in which agents speak to models: parses requests, reads and assembles streamed
 * answers, writes replays and errors.
 */
@NullMarked
package dev.baton.gateway.wire;

import org.jspecify.annotations.NullMarked;
