/** Fault injection: a schedule of faults derived from a seed, and its execution. */
@NullMarked
package dev.baton.chaos.fault;

import org.jspecify.annotations.NullMarked;
