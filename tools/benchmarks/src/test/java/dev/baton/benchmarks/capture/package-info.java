/** Tests of Baton's process in the snapshot benchmark. */
@NullMarked
package dev.baton.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
