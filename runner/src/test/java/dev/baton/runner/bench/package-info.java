/** Measurements, not tests. */
@NullMarked
package dev.baton.runner.bench;

import org.jspecify.annotations.NullMarked;
