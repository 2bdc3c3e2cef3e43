/** Runs: created many at a time, listed, shown, cancelled; over REST and gRPC. */
@NullMarked
package dev.baton.orchestrator.runs;

import org.jspecify.annotations.NullMarked;
