/** Shared by all commands: global options, exit codes, failures, and the execution context. */
@NullMarked
package dev.baton.cli.command;

import org.jspecify.annotations.NullMarked;
