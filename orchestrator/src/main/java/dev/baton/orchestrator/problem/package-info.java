/** All errors of the API as RFC 9457 problem documents. */
@NullMarked
package dev.baton.orchestrator.problem;

import org.jspecify.annotations.NullMarked;
