/** History against a real stack and a store that says what a test wants. */
@NullMarked
package dev.baton.orchestrator.archive;

import org.jspecify.annotations.NullMarked;
