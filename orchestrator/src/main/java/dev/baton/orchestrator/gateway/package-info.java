/** The gRPC streams on which runners receive runs and commands. */
@NullMarked
package dev.baton.orchestrator.gateway;

import org.jspecify.annotations.NullMarked;
