/** The API for programs, over gRPC. */
@NullMarked
package dev.baton.orchestrator.rpc;

import org.jspecify.annotations.NullMarked;
