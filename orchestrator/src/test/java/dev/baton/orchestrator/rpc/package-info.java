/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.rpc;

import org.jspecify.annotations.NullMarked;
