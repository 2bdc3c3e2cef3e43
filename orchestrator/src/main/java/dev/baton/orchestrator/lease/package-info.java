/**
 * Which lease tokens count here: the keys of all replicas, and what is done with what they do not
 * vouch for.
 */
@NullMarked
package dev.baton.orchestrator.lease;

import org.jspecify.annotations.NullMarked;
