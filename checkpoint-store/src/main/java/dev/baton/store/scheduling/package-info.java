/** Blocking work on virtual threads, and blocking waits with a bound. */
@NullMarked
package dev.baton.store.scheduling;

import org.jspecify.annotations.NullMarked;
