/** The runner process: how it starts and ends, and the runs it executes. */
@NullMarked
package dev.baton.runner;

import org.jspecify.annotations.NullMarked;
