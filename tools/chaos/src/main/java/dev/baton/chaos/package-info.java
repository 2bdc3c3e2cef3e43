/**
 * Runs a workload on a stack of its own while faults are injected, records what is seen from
 * outside, and has it checked.
 */
@NullMarked
package dev.baton.chaos;

import org.jspecify.annotations.NullMarked;
