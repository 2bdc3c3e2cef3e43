/** Rebuilds what Postgres knows of snapshots from the objects alone. */
@NullMarked
package dev.baton.store.reindex;

import org.jspecify.annotations.NullMarked;
