/** The {@code baton} command: entry point and the tree of its subcommands. */
@NullMarked
package dev.baton.cli;

import org.jspecify.annotations.NullMarked;
