/** The {@code baton} command: where it starts, and the tree of its subcommands. */
@NullMarked
package dev.baton.cli;

import org.jspecify.annotations.NullMarked;
