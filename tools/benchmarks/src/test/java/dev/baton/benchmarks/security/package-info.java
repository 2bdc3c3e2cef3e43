/** Tests of the benchmark of security. */
@NullMarked
package dev.baton.benchmarks.security;

import org.jspecify.annotations.NullMarked;
