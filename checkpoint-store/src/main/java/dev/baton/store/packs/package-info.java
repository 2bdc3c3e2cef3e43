/**
 * Packs of chunks: which exist, what they contain, and what protects them from collection.
 *
 * <p>Rows of packs are always locked in the order of their ids.
 */
@NullMarked
package dev.baton.store.packs;

import org.jspecify.annotations.NullMarked;
