/** A run's folded state as of an epoch, and its workspace cuts. */
@NullMarked
package dev.baton.store.snapshot;

import org.jspecify.annotations.NullMarked;
