/** Decides which checkpoints are kept and deletes the others. */
@NullMarked
package dev.baton.store.retention;

import org.jspecify.annotations.NullMarked;
