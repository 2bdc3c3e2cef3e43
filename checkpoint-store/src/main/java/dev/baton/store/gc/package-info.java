/** Deletes packs that are not needed, without ever deleting one that a runner is about to use. */
@NullMarked
package dev.baton.store.gc;

import org.jspecify.annotations.NullMarked;
