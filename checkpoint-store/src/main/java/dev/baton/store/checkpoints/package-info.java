/** Checkpoints: commits, finds, opens and pins them. */
@NullMarked
package dev.baton.store.checkpoints;

import org.jspecify.annotations.NullMarked;
