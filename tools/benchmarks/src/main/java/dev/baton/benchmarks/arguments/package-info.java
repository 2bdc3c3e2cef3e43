/**
 * Command line parsing: options with values, and errors that name the wrong option and the allowed
 * values.
 */
@NullMarked
package dev.baton.benchmarks.arguments;

import org.jspecify.annotations.NullMarked;
