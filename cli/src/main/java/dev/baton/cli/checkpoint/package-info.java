/** Commands about checkpoints: what there is, making, checking, restoring and moving them. */
@NullMarked
package dev.baton.cli.checkpoint;

import org.jspecify.annotations.NullMarked;
