/** Deletes packs that nobody needs, without ever deleting one that somebody is about to use. */
@NullMarked
package dev.baton.store.gc;

import org.jspecify.annotations.NullMarked;
