/** The embedded stack of one machine: start it, stop it, find it. */
@NullMarked
package dev.baton.cli.stack;

import org.jspecify.annotations.NullMarked;
