/** The embedded stack of one machine: starts, stops and finds it. */
@NullMarked
package dev.baton.cli.stack;

import org.jspecify.annotations.NullMarked;
