/** Commands about checkpoints: list, create, verify, restore, export and import. */
@NullMarked
package dev.baton.cli.checkpoint;

import org.jspecify.annotations.NullMarked;
