/** Terminal output: tables, colours, progress, durations. */
@NullMarked
package dev.baton.cli.terminal;

import org.jspecify.annotations.NullMarked;
