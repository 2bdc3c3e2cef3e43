/** What a trace means: the fold from events to a run's state, and nothing else decides it. */
@NullMarked
package dev.baton.protocol.state;

import org.jspecify.annotations.NullMarked;
