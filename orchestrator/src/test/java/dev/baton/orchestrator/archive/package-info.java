/** Tests of this package with a real stack and a scripted checkpoint-store. */
@NullMarked
package dev.baton.orchestrator.archive;

import org.jspecify.annotations.NullMarked;
