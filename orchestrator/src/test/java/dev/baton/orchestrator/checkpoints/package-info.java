/** Tests of checkpoints over REST. */
@NullMarked
package dev.baton.orchestrator.checkpoints;

import org.jspecify.annotations.NullMarked;
