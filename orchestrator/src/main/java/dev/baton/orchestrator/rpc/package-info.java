/** The gRPC API for programs. */
@NullMarked
package dev.baton.orchestrator.rpc;

import org.jspecify.annotations.NullMarked;
