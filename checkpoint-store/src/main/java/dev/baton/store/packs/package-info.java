/**
 * Packs of chunks: which there are, what is in them, and what keeps them from being collected.
 *
 * <p>Rows of packs are locked in the order of their ids, everywhere.
 */
@NullMarked
package dev.baton.store.packs;

import org.jspecify.annotations.NullMarked;
