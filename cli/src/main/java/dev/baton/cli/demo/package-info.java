/**
 * The demonstration: kills the runner of a real job, measures the failover and compares the result
 * with an undisturbed run.
 */
@NullMarked
package dev.baton.cli.demo;

import org.jspecify.annotations.NullMarked;
