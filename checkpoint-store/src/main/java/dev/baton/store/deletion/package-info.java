/** Erases a run and proves it. */
@NullMarked
package dev.baton.store.deletion;

import org.jspecify.annotations.NullMarked;
