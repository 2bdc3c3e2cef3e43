/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.rpc;

import org.jspecify.annotations.NullMarked;
