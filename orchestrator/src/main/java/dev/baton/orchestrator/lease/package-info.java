/**
 * Lease tokens: signs them, verifies them with the keys of all replicas, and reports refused ones.
 */
@NullMarked
package dev.baton.orchestrator.lease;

import org.jspecify.annotations.NullMarked;
