/** Tests snapshots that do not fit into memory. */
@NullMarked
package dev.baton.store.snapshot;

import org.jspecify.annotations.NullMarked;
