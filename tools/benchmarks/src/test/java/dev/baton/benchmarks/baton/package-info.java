/** Tests against the embedded broker. */
@NullMarked
package dev.baton.benchmarks.baton;

import org.jspecify.annotations.NullMarked;
