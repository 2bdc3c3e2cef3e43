/** Folds runs: the state at an epoch's start, fork origins, and workspace cuts. */
@NullMarked
package dev.baton.store.snapshot;

import org.jspecify.annotations.NullMarked;
