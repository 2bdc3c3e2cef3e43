/** Test infrastructure: real servers, a scripted runner, a scripted checkpoint-store. */
@NullMarked
package dev.baton.orchestrator.testing;

import org.jspecify.annotations.NullMarked;
