/** Folds a trace's events to a run's state. Only this package decides what an event means. */
@NullMarked
package dev.baton.protocol.state;

import org.jspecify.annotations.NullMarked;
