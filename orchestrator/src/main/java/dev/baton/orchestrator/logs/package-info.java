/** Reads the output of steps from the store, then from the live tail. */
@NullMarked
package dev.baton.orchestrator.logs;

import org.jspecify.annotations.NullMarked;
