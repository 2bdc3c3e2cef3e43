/** Observations of a system under faults, made from outside, and their files. */
@NullMarked
package dev.baton.chaos.history;

import org.jspecify.annotations.NullMarked;
