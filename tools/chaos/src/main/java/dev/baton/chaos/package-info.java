/**
 * Runs a workload on a dedicated stack while faults are injected, records what is observed from
 * outside, and checks it.
 */
@NullMarked
package dev.baton.chaos;

import org.jspecify.annotations.NullMarked;
