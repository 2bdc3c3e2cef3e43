/** Restores the rows about snapshots in Postgres from the objects in the bucket. */
@NullMarked
package dev.baton.store.reindex;

import org.jspecify.annotations.NullMarked;
