/** Processes of the operating system: start, readiness, restart and stop. */
@NullMarked
package dev.baton.standalone.process;

import org.jspecify.annotations.NullMarked;
