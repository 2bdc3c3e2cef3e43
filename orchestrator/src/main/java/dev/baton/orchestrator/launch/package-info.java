/** Starts runner processes, watches them, and kills them with all their descendants. */
@NullMarked
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.NullMarked;
