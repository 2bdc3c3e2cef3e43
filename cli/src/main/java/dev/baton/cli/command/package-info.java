/** What every command shares: global options, exit codes, failures, the context they run in. */
@NullMarked
package dev.baton.cli.command;

import org.jspecify.annotations.NullMarked;
