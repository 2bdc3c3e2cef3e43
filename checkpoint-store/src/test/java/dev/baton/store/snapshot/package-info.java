/** Snapshots too large for the memory. */
@NullMarked
package dev.baton.store.snapshot;

import org.jspecify.annotations.NullMarked;
