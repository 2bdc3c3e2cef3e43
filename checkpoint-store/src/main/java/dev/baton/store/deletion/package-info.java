/** Erases a run and reports what was deleted and what is left. */
@NullMarked
package dev.baton.store.deletion;

import org.jspecify.annotations.NullMarked;
