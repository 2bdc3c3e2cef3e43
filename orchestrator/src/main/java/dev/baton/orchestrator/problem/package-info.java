/** Every error that a caller can meet, as an RFC 9457 problem document. */
@NullMarked
package dev.baton.orchestrator.problem;

import org.jspecify.annotations.NullMarked;
