/** Tests of checkpoints over REST. */
@NullMarked
package dev.baton.orchestrator.cuts;

import org.jspecify.annotations.NullMarked;
