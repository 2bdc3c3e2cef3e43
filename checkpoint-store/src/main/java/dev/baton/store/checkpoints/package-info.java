/** Checkpoints: how they are made, found, opened, pinned and held. */
@NullMarked
package dev.baton.store.checkpoints;

import org.jspecify.annotations.NullMarked;
